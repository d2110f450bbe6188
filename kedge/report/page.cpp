#include "kedge/report/page.h"

#include <algorithm>
#include <string_view>

#include "kedge/core/format.h"
#include "kedge/report/text.h"

namespace kedge {
namespace {

constexpr std::string_view style_sheet = R"(<style>
:root{color-scheme:light dark;--ground:#fff;--text:#24292f;--quiet:#66707b;--rule:#d5dae0;--good:#1a7f4b;--bad:#b3401f}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--text:#dde3ea;--quiet:#949fab;--rule:#363d46;--good:#4fc98d;--bad:#f58a63}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1000px;padding:2.5rem 1.25rem;background:var(--ground);color:var(--text);font:16px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif}
h1{font-size:1.8rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .6rem}
h2{font-size:1.2rem;line-height:1.3;margin:2.6rem 0 .6rem}
p{max-width:44rem;margin:.6rem 0}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:1rem;font-size:.9rem}
a{color:inherit;text-decoration-color:var(--rule);text-underline-offset:.2em}
figure{margin:1.4rem 0}
figcaption,caption{color:var(--quiet);font-size:.875rem;text-align:left}
figcaption{max-width:44rem;margin-top:.5rem}
caption{padding-bottom:.45rem}
figure svg.kedge-chart{display:block;max-width:100%;height:auto}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,var(--least)),1fr));gap:1.2rem 1.6rem}
@media(max-width:600px){.scroll>svg.kedge-chart{max-width:none}}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-bottom:.7rem;font-size:13px}
.legend span{display:flex;align-items:center;gap:6px}
.scroll{overflow-x:auto}
section>.scroll{margin:1.2rem 0}
table{border-collapse:collapse;border-bottom:1.5px solid var(--text);font-size:.9rem;line-height:1.4;font-variant-numeric:tabular-nums}
thead{border-top:1.5px solid var(--text);border-bottom:1px solid var(--text)}
th,td{padding:.32rem .75rem;text-align:left;vertical-align:baseline}
th{font-weight:600}
td{border-top:1px solid var(--rule)}
.right{text-align:right}
.center{text-align:center}
.strong{font-weight:650}
.muted{color:var(--quiet)}
.good{color:var(--good)}
.bad{color:var(--bad)}
footer{margin-top:3.2rem;padding-top:.9rem;border-top:1px solid var(--rule);color:var(--quiet);font-size:.8125rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}
dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.95em}
</style>
)";

constexpr size_t sections_worth_a_list = 4;

class PageWriter {
 public:
  void operator()(const Paragraph& paragraph) { html_ += "<p>" + escape_xml(paragraph.text) + "</p>\n"; }
  void operator()(const TextTable& table) { html_ += to_html(table); }
  void operator()(const Figure& figure) {
    const bool shared = figure.charts.size() > 1 && one_legend_fits(figure.charts);
    html_ += "<figure>\n";
    if (shared) html_ += legend_html(figure.charts.front()) + "\n";
    html_ += figure.charts.size() > 1
                 ? fmt::format("<div class=\"row\" style=\"--least:{}px\">\n", least_width(figure.charts))
                 : "<div class=\"scroll\">\n";
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

  /// What the charts of a row are shrunk to before they take another row: text must stay readable.
  static int least_width(const std::vector<Chart>& charts) {
    constexpr int always_readable = 272;
    constexpr double most_shrunk = 0.8;
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
    links += fmt::format("<a href=\"#section-{}\">{}</a>", i + 1, escape_xml(sections[i].heading));
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

std::string to_html(const Page& page) {
  PageWriter writer;
  const std::string title = escape_xml(page.title);
  writer.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
  writer.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
  writer.add("<title>" + title + "</title>\n");
  writer.add(style_sheet);
  writer.add(chart_styles() + "\n");
  writer.add("</head>\n<body>\n<main>\n<h1>" + title + "</h1>\n");
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
