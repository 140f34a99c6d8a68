// What the libraries of linked_copies.cc do.
#pragma once

void alpha_log(int process, int number);
void beta_log(int process, int number);
