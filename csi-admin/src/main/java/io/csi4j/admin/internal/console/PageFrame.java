package io.csi4j.admin.internal.console;

import java.util.List;
import java.util.function.Consumer;

/**
 * Writes the header and the frame that all pages have in common. When the state changes, the script of an open page
 * replaces the element with the id {@code live}.
 */
final class PageFrame {
    private record Entry(String path, String name) {}

    private static final List<Entry> NAVIGATION = List.of(
            new Entry("/", "Overview"),
            new Entry("/volumes", "Volumes"),
            new Entry("/classes", "Classes"),
            new Entry("/waiting", "Waiting claims"),
            new Entry("/plugins", "Plugins"),
            new Entry("/nodes", "Nodes"),
            new Entry("/calls", "Calls"),
            new Entry("/log", "Log"));

    private PageFrame() {}

    /** Returns a whole page. */
    static String page(String title, String path, Consumer<Html> before, Consumer<Html> live) {
        Html html = new Html();
        html.open("html", "lang", "en").open("head");
        html.open("meta", "charset", "utf-8");
        html.open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        html.open("meta", "name", "color-scheme", "content", "light dark");
        html.element("title", title + " · csi4j");
        html.open("link", "rel", "icon", "href", "/assets/icon.svg", "type", "image/svg+xml");
        html.open("link", "rel", "stylesheet", "href", "/assets/console.css");
        html.open("script", "src", "/assets/console.js", "defer", "defer").close("script");
        html.close("head").open("body");
        html.link("#main", "Skip to the content", "class", "skip");
        header(html, path);
        html.open("main", "id", "main", "tabindex", "-1");
        html.element("h1", title);
        before.accept(html);
        html.open("div", "id", "live");
        live.accept(html);
        html.close("div").close("main").close("body").close("html");
        return "<!doctype html>\n" + html + "\n";
    }

    private static void header(Html html, String path) {
        html.open("header").open("div", "class", "bar");
        html.link("/", "csi4j", "class", "brand");
        html.open("nav", "aria-label", "Pages").open("ul");
        for (Entry entry : NAVIGATION) {
            html.open("li");
            if (entry.path().equals(path)) {
                html.link(entry.path(), entry.name(), "aria-current", "page");
            } else {
                html.link(entry.path(), entry.name());
            }
            html.close("li");
        }
        html.close("ul").close("nav");
        html.open("div", "class", "stream");
        html.element("span", "not updating", "id", "stream-state", "role", "status");
        html.element("button", "Pause", "id", "pause", "type", "button", "aria-pressed", "false", "hidden", "hidden");
        html.close("div").close("div").close("header");
    }

    /** Returns a page with a message only. */
    static String message(String title, String message) {
        return page(title, "", html -> {}, html -> html.element("p", message));
    }
}
