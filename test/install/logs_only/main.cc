#include <string>

void greet(const std::string& who);

int main() {
  greet("world");
}
