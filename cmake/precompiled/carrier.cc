// A target needs a source; this one carries a precompiled header (cmake/StenoPrecompiled.cmake).
