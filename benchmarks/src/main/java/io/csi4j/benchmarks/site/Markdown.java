package io.csi4j.benchmarks.site;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;

/** Renders a page to HTML. Headings have the anchors that code hosts give them. */
final class Markdown {
    private static final List<Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
    private static final HtmlRenderer RENDERER = HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .nodeRendererFactory(CodeBlocks::new)
            .build();

    private Markdown() {}

    /** Renders the text of a page; {@code links} replaces the target of each link and image. */
    static String toHtml(String text, UnaryOperator<String> links) {
        Node document = PARSER.parse(text);
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                link.setDestination(links.apply(link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                image.setDestination(links.apply(image.getDestination()));
                visitChildren(image);
            }
        });
        return RENDERER.render(document);
    }

    /** Draws pictures of Mermaid in the browser, and lets wide code scroll with the keyboard. */
    private record CodeBlocks(HtmlNodeRendererContext context) implements NodeRenderer {
        @Override
        public Set<Class<? extends Node>> getNodeTypes() {
            return Set.of(FencedCodeBlock.class);
        }

        @Override
        public void render(Node node) {
            FencedCodeBlock block = (FencedCodeBlock) node;
            boolean picture = block.getInfo().equals("mermaid");
            var html = context.getWriter();
            html.line();
            html.raw(picture ? "<pre class=\"mermaid\">" : "<pre tabindex=\"0\"><code>");
            html.text(block.getLiteral());
            html.raw(picture ? "</pre>" : "</code></pre>");
            html.line();
        }
    }
}
