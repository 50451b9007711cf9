// SPDX-License-Identifier: BSL-1.0
// What holds for each piece of the viewer's script: nothing that loads, nothing that makes markup or code of a string, nothing that
// ends the element it stands in, and as many brackets behind as before the spaces are gone.
#pragma once

#include <ipuflow/report/page/viewer/viewer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace viewer_pieces {

inline bool says(std::string_view piece, std::string_view words) { return piece.find(words) != std::string_view::npos; }

inline auto count_of(std::string_view piece, char c) { return std::count(piece.begin(), piece.end(), c); }

inline void check_piece(std::string_view piece) {
  namespace report = ipuflow::report;
  for (const std::string_view bad :
       {"</", "<!--", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "import(", "fetch(", "XMLHttpRequest",
        "WebSocket", "EventSource", "sendBeacon", "https:", "setAttribute(\"style\"", "style: \"", "javascript:"}) {
    CAPTURE(bad);
    CHECK_FALSE(says(piece, bad));
  }
  const std::string_view names = "http://www.w3.org/2000/svg";  // a name, of which nothing is loaded
  for (std::size_t at = piece.find("http:"); at != std::string_view::npos; at = piece.find("http:", at + 1))
    CHECK(piece.substr(at, names.size()) == names);
  std::string page;
  report::impl::add_viewer_piece(page, piece);
  CHECK(page.size() < piece.size());
  CHECK(page.back() == '\n');
  CHECK_FALSE(says(page, "\n "));
  CHECK_FALSE(says(page, "\n//"));
  for (const auto& [open, shut] : {std::pair{'{', '}'}, std::pair{'(', ')'}, std::pair{'[', ']'}})
    CHECK(count_of(page, open) == count_of(page, shut));
  const auto& all = report::impl::viewer_scripts;
  CHECK(std::find(std::begin(all), std::end(all), piece) != std::end(all));
}

}  // namespace viewer_pieces
