// SPDX-License-Identifier: BSL-1.0
int a();
int b();

int main() { return a() + b(); }
