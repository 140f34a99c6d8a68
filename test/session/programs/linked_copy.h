// The functions of the libraries of linked_copies.cc.
#pragma once

void alpha_log(int process, int number);
void beta_log(int process, int number);
