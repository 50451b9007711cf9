// SPDX-License-Identifier: BSL-1.0
// What a fault says, and what an exception says, as text that doctest can print.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <string>

template <class Fault>
std::string said(const Fault& found) {
  return ipuflow::message(found).data();
}

template <class Action>
std::string said_by(Action&& action) {
  try {
    action();
  } catch (const ipuflow::error& e) {
    return e.what();
  }
  return "nothing";
}
