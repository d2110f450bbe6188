#include "kedge/report/page.h"

#include <algorithm>

#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

// Of what scrolls, a shadow at a side says that there is more; a cover of the ground's colour, which scrolls
// along, hides it where there is not.
constexpr std::string_view style_sheet = R"(*{box-sizing:border-box}
body{margin:0 auto;max-width:1000px;padding:2.5rem 1.25rem;background:var(--ground);color:var(--text);font:16px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif}
h1{font-size:1.8rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .6rem;overflow-wrap:anywhere}
.conclusion{font-size:1.2rem;line-height:1.45;max-width:46rem;margin:.8rem 0 1rem}
h2,p,li,figcaption{overflow-wrap:anywhere}
h2{font-size:1.2rem;line-height:1.3;margin:2.6rem 0 .6rem}
p{max-width:44rem;margin:.6rem 0}
ul{max-width:44rem;margin:.6rem 0;padding-left:1.2rem}
li{margin:.35rem 0}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:1rem;font-size:.9rem}
a{color:inherit;text-decoration-color:var(--rule);text-underline-offset:.2em}
figure{margin:1.4rem 0}
figcaption,caption{color:var(--muted);font-size:.875rem;text-align:left}
figcaption{max-width:44rem;margin-top:.5rem}
caption{padding-bottom:.45rem}
figure svg.kedge-chart{display:block;max-width:100%;height:auto}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,var(--least)),1fr));gap:1.2rem 1.6rem}
.scroll>svg.kedge-chart{min-width:var(--least)}
@media(max-width:600px){body{padding:1.5rem .9rem}}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-bottom:.7rem;font-size:13px}
.legend span{display:flex;align-items:center;gap:6px}
.scroll{overflow-x:auto;scrollbar-width:thin;background:linear-gradient(90deg,var(--ground) 40%,transparent) 0 0/2.5rem 100%,linear-gradient(270deg,var(--ground) 40%,transparent) 100% 0/2.5rem 100%,linear-gradient(90deg,var(--shade),transparent) 0 0/.9rem 100%,linear-gradient(270deg,var(--shade),transparent) 100% 0/.9rem 100%;background-attachment:local,local,scroll,scroll;background-repeat:no-repeat}
section>.scroll{margin:1.2rem 0}
table{border-collapse:collapse;border-bottom:1.5px solid var(--text);font-size:.9rem;line-height:1.4;font-variant-numeric:tabular-nums}
thead{border-top:1.5px solid var(--text);border-bottom:1px solid var(--text)}
th,td{padding:.32rem .75rem;text-align:left;vertical-align:baseline}
th{font-weight:600}
td{border-top:1px solid var(--rule)}
.right{text-align:right}
.center{text-align:center}
.strong{font-weight:650}
td.right{white-space:nowrap}
td.muted{min-width:11rem}
td.right.muted{min-width:0}
td br~span{font-size:.82em}
footer{margin-top:3.2rem;padding-top:.9rem;border-top:1px solid var(--rule);color:var(--muted);font-size:.8125rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}
dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em;overflow-wrap:anywhere}
)";

std::string page_styles() {
  return fmt::format(
      "<style>\n:root{{color-scheme:light dark;--ground:{};--text:#24292f;--rule:#d5dae0;--shade:#0004}}\n"
      "@media(prefers-color-scheme:dark){{:root{{--ground:{};--text:#dde3ea;--rule:#363d46;"
      "--shade:#fff5}}}}\n{}\n{}</style>\n",
      ground_color(Ground::light), ground_color(Ground::dark), emphasis_styles(":root"), style_sheet);
}

constexpr size_t sections_worth_a_list = 4;

/// A ` without a second one is itself.
std::string prose_html(std::string_view prose) {
  std::string html;
  for (size_t open = prose.find('`'); open != prose.npos; open = prose.find('`')) {
    const size_t close = prose.find('`', open + 1);
    if (close == prose.npos) break;
    html += escape_xml(prose.substr(0, open)) + "<code>" +
            escape_xml(prose.substr(open + 1, close - open - 1)) + "</code>";
    prose.remove_prefix(close + 1);
  }
  return html + escape_xml(prose);
}

class PageWriter {
 public:
  void operator()(const Paragraph& paragraph) { html_ += "<p>" + prose_html(paragraph.text) + "</p>\n"; }
  void operator()(const ItemList& list) {
    if (list.items.empty()) return;
    html_ += "<ul>\n";
    for (const std::string& item : list.items) html_ += "<li>" + prose_html(item) + "</li>\n";
    html_ += "</ul>\n";
  }
  void operator()(const TextTable& table) { html_ += to_html(table); }
  void operator()(const Figure& figure) {
    const bool shared = figure.charts.size() > 1 && one_legend_fits(figure.charts);
    html_ += "<figure>\n";
    if (shared) html_ += legend_html(figure.charts.front()) + "\n";
    html_ += figure.charts.size() > 1 ? "<div class=\"row\"" : "<div class=\"scroll\"";
    html_ += fmt::format(" style=\"--least:{}px\">\n", least_width(figure.charts));
    for (Chart chart : figure.charts) {
      if (shared) chart.legend = Legend::none;
      html_ += to_svg(chart, fmt::format("chart-{}", ++charts_), ChartStyles::in_document) + "\n";
    }
    html_ += "</div>\n";
    if (!figure.caption.empty()) html_ += "<figcaption>" + escape_xml(figure.caption) + "</figcaption>\n";
    html_ += "</figure>\n";
  }

  void add(std::string_view html) { html_ += html; }
  std::string take() { return std::move(html_); }

 private:
  static bool one_legend_fits(const std::vector<Chart>& charts) {
    const std::string first = legend_html(charts.front());
    return std::all_of(charts.begin(), charts.end(), [&](const Chart& chart) {
      return chart.legend == Legend::above && legend_html(chart) == first;
    });
  }

  /// What charts are shrunk to before they take another row or scroll: text must stay readable.
  static int least_width(const std::vector<Chart>& charts) {
    constexpr int always_readable = 272;
    constexpr double most_shrunk = 0.75;
    int widest = 0;
    for (const Chart& chart : charts) widest = std::max(widest, chart.width);
    return std::max(static_cast<int>(most_shrunk * widest), std::min(widest, always_readable));
  }

  std::string html_;
  int charts_ = 0;
};

std::string section_list(const std::vector<Section>& sections) {
  if (sections.size() < sections_worth_a_list) return "";
  std::string links;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].heading.empty()) continue;
    const std::string name = sections[i].heading.substr(0, sections[i].heading.find(": "));
    links += fmt::format("<a href=\"#section-{}\">{}</a>", i + 1, escape_xml(name));
  }
  return "<nav>" + links + "</nav>\n";
}

std::string footer(const Provenance& provenance) {
  std::string entries;
  const auto entry = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) entries += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, value);
  };
  const std::string command = escape_xml(provenance.command);
  entry("command", command.empty() ? command : "<code>" + command + "</code>");
  entry("version", escape_xml(provenance.version));
  entry("machine", escape_xml(provenance.machine));
  entry(provenance.seeds.size() == 1 ? "seed" : "seeds",
        fmt::format("{}", fmt::join(provenance.seeds, ", ")));
  return entries.empty() ? "" : "<footer><dl>\n" + entries + "</dl></footer>\n";
}

}  // namespace

std::string plain_prose(std::string_view prose) {
  std::string text(prose);
  std::replace(text.begin(), text.end(), '`', '\'');
  return text;
}

std::string to_html(const Page& page) {
  PageWriter writer;
  const std::string title = escape_xml(page.title);
  writer.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
  writer.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
  writer.add("<title>" + title + "</title>\n");
  writer.add(page_styles());
  writer.add(chart_styles() + "\n");
  writer.add("</head>\n<body>\n<main>\n<h1>" + title + "</h1>\n");
  if (!page.conclusion.empty())
    writer.add("<p class=\"conclusion\">" + prose_html(page.conclusion) + "</p>\n");
  if (!page.intro.empty()) writer(Paragraph{page.intro});
  writer.add(section_list(page.sections));
  for (size_t i = 0; i < page.sections.size(); ++i) {
    writer.add(fmt::format("<section id=\"section-{}\">\n", i + 1));
    if (!page.sections[i].heading.empty()) {
      writer.add("<h2>" + escape_xml(page.sections[i].heading) + "</h2>\n");
    }
    for (const SectionPart& part : page.sections[i].parts) std::visit(writer, part);
    writer.add("</section>\n");
  }
  writer.add("</main>\n" + footer(page.provenance) + "</body>\n</html>\n");
  return writer.take();
}

}  // namespace kedge
