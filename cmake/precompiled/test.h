// What most tests include (cmake/StenoPrecompiled.cmake).
#include "standard.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gtest/gtest.h>
