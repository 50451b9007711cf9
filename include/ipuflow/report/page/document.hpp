// SPDX-License-Identifier: BSL-1.0
// The page: one HTML file that loads nothing. Its tables and pictures are there without a script; the script, which the file's policy
// names by its digest, and no other, shows the data that the file carries compressed.
#pragma once

#include <ipuflow/report/page/gzip.hpp>
#include <ipuflow/report/page/part.hpp>
#include <ipuflow/report/page/sha256.hpp>
#include <ipuflow/report/page/viewer/viewer.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

/// Options of a page.
struct page_options {
  std::string title = "Profile";  ///< of the page, and its headline
  std::string command{};  ///< that made it, as its reader may give it again
};

namespace impl {

inline constexpr std::string_view page_style =
    "body{font:15px/1.45 system-ui,sans-serif;margin:0}#static{max-width:72rem;margin:0 auto;padding:1rem}"
    "#static .wide{overflow-x:auto}#static table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "#static th,#static td{padding:.1rem .7rem .1rem 0;text-align:right;white-space:nowrap}#static th[scope=row]{text-align:left;font-weight:400}"
    "#static .picture{background:#fff}"
    "@media print{#static .wide{overflow:visible}#static .picture{max-width:100%}}";

/// The script of a page, as it stands in the file.
template <class = void>
[[nodiscard]] std::string page_script() {
  std::string all;
  for (const std::string_view piece : viewer_scripts) add_viewer_piece<>(all, piece);
  return all;
}

/// The style of a page: that of the tables that are there without a script, and that of the viewer.
template <class = void>
[[nodiscard]] std::string page_styles() {
  std::string all{page_style};
  add_viewer_piece<>(all, viewer_style, false);
  return all;
}

/// Something that is shown by name.
template <class Add>
struct page_named {
  Add add_to;
};

template <class Thing>
concept shown_on_page = requires(page_part& part, const Thing& thing) { describe(part, thing); };

}  // namespace impl

/// A page while it is made: part after part.
template <class = void>
class basic_page_builder {
 public:
  explicit basic_page_builder(page_options options = {}) : options_{std::move(options)} {}

  /// Adds a part: what it shows first gives it its kind, and the rest belongs to it: a run with its timetable, facts, samples.
  template <class... Things>
  basic_page_builder& add(std::string name, const Things&... things) {
    impl::page_part part{std::move(name), columns_};
    if constexpr ((impl::shown_on_page<Things> && ...))
      (describe(part, things), ...);
    else
      impl::refuse<report_wrong::not_for_a_page, void(Things...)>();
    parts_.append(parts_.empty() ? "" : ",") += part.json();
    body_.put(part.html());
    return *this;
  }

  /// The whole file.
  template <class Out>
  void write(Out& out) const {
    const std::string script = impl::page_script<>();
    const std::string title = impl::html_words(options_.title);
    out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
        << base64<>(impl::sha256<>(script)) << "'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
        << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>" << title
        << "</title>\n<style>" << impl::page_styles<>() << "</style>\n</head>\n<body>\n<main id=\"static\">\n<h1>" << title << "</h1>\n";
    if (!options_.command.empty()) out << "<p><code>" << impl::html_words(options_.command) << "</code></p>\n";
    out << body_.text() << "</main>\n<script id=\"data\" type=\"text/plain\">" << base64<>(gzip<>(data())) << "</script>\n<script>" << script << "</script>\n</body>\n</html>\n";
  }

  /// The data of the file before they are compressed.
  [[nodiscard]] std::string data() const {
    impl::json_members header;
    header.add("version", 1).add("title", options_.title).add("command", options_.command).add("made_by", "ipuflow");
    return columns_.container(header.put("parts", "[" + parts_ + "]").text());
  }

 private:
  page_options options_;
  basic_page_columns<> columns_;
  std::string parts_;
  impl::html_text body_;
};
using page_builder = basic_page_builder<>;

/// A part of a page for `page`.
template <class... Things>
[[nodiscard]] auto part(std::string name, const Things&... things) {
  return impl::page_named{[name = std::move(name), &things...](page_builder& page) { page.add(name, things...); }};
}

/// Writes a page of parts.
template <class Out, class... Add>
void page(Out& out, const page_options& options, const impl::page_named<Add>&... parts) {
  page_builder made{options};
  (parts.add_to(made), ...);
  made.write(out);
}

}  // namespace ipuflow::report
