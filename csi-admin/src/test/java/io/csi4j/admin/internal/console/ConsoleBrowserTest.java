package io.csi4j.admin.internal.console;

import static io.csi4j.admin.AdminRig.DISK;
import static io.csi4j.admin.AdminRig.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.admin.AdminRig;
import io.csi4j.core.id.VolumeKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser. Skipped where Chromium and its driver are not installed. Takes more than 20 seconds: a
 * browser for each case, and screenshots of each page in three layouts.
 */
@Timeout(240)
class ConsoleBrowserTest {
    private static final String TAB = "\uE004";
    private static final String ENTER = "\uE007";
    private static final List<String> PAGES = List.of(
            "/",
            "/volumes",
            "/classes",
            "/class?name=fast",
            "/waiting",
            "/plugins",
            "/plugin?id=block-ssd",
            "/nodes",
            "/calls",
            "/log",
            "/volume?namespace=shop&id=orders-db");

    @TempDir
    Path profile;

    private AdminRig rig;
    private Browser browser;

    @BeforeEach
    void start() throws Exception {
        Optional<Path> chromium = Browser.program("chromium");
        Optional<Path> driver = Browser.program("chromedriver");
        assumeTrue(chromium.isPresent() && driver.isPresent(), "needs chromium and chromedriver");
        rig = new AdminRig();
        browser = Browser.start(chromium.get(), driver.get(), profile);
    }

    @AfterEach
    void close() throws Exception {
        if (browser != null) {
            browser.close();
        }
        if (rig != null) {
            rig.close();
        }
    }

    private void picture(String name) throws Exception {
        Path directory = Files.createDirectories(Path.of("target", "screenshots"));
        byte[] png = browser.screenshot();
        assertThat(png.length).as("%s has content", name).isGreaterThan(5_000);
        Files.write(directory.resolve(name + ".png"), png);
    }

    private String focused() throws Exception {
        return browser.run("return document.activeElement.textContent").getAsString();
    }

    @Test
    void openPageShowsChangeWithoutReload() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        browser.open(rig.at("/volumes"));
        browser.run("window.unchanged = true");
        browser.await("return document.getElementById('stream-state').textContent === 'live'");
        rig.done(rig.claim("web-1", "n1", key("db")));
        browser.await("return document.body.innerText.includes('web-1 on n1')");
        assertThat(browser.run("return window.unchanged === true").getAsBoolean())
                .as("the page was not loaded again")
                .isTrue();
        assertThat(browser.log()).as("the browser logs no messages").isEqualTo("[]");
    }

    @Test
    void pausedPageKeepsItsContentUntilResumed() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        browser.open(rig.at("/volumes"));
        browser.await("return document.getElementById('stream-state').textContent === 'live'");
        browser.run("document.getElementById('pause').click()");
        assertThat(browser.run("return document.getElementById('pause').getAttribute('aria-pressed')")
                        .getAsString())
                .isEqualTo("true");
        String updates = browser.run("return document.documentElement.dataset.updates || '0'")
                .getAsString();
        rig.volume(key("second"));
        rig.awaitPage("/volumes", "second");
        assertThat(browser.run("return document.documentElement.dataset.updates || '0'")
                        .getAsString())
                .isEqualTo(updates);
        browser.run("document.getElementById('pause').click()");
        browser.await("return document.body.innerText.includes('default/second')");
    }

    @Test
    void scriptInsideNameIsNotExecuted() throws Exception {
        String evil = "<script>window.pwned=1</script><img src=x onerror=window.pwned=2>";
        rig.node("n1", DISK).volume(key(evil));
        rig.done(rig.claim(evil, "n1", key(evil)));
        for (String path : List.of("/volumes", Links.address(key(evil)), Request.address("/volumes", "prefix", evil))) {
            browser.open(rig.at(path));
            browser.await("return (document.documentElement.dataset.updates || '0') !== '0'");
            assertThat(browser.run("return document.body.innerText").getAsString())
                    .contains("window.pwned");
            assertThat(browser.run("return typeof window.pwned").getAsString()).isEqualTo("undefined");
            assertThat(browser.run("return document.querySelectorAll('img, body script').length")
                            .getAsInt())
                    .isZero();
        }
        assertThat(browser.log()).isEqualTo("[]");
    }

    @Test
    void keyboardFocusIsKeptWhenPageUpdates() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        browser.open(rig.at("/volumes"));
        browser.await("return document.getElementById('stream-state').textContent === 'live'");
        browser.key(TAB);
        assertThat(focused()).isEqualTo("Skip to the content");
        browser.key(ENTER);
        String reached = "";
        for (int i = 0; i < 12 && !reached.equals("default/db"); i++) {
            browser.key(TAB);
            reached = focused();
        }
        assertThat(reached).isEqualTo("default/db");
        assertThat(browser.run("return getComputedStyle(document.activeElement).outlineStyle")
                        .getAsString())
                .as("focus is visible")
                .isEqualTo("solid");
        rig.volume(key("a-new-one"));
        browser.await("return document.body.innerText.includes('default/a-new-one')");
        assertThat(focused()).isEqualTo("default/db");
        browser.key(ENTER);
        browser.await("return document.querySelector('h1').textContent === 'Volume default/db'");
    }

    @Test
    void pagesHaveStructureThatScreenReadersNeed() throws Exception {
        DemoCluster.fill(rig);
        for (String path : PAGES) {
            browser.open(rig.at(path));
            assertThat(browser.run("return document.querySelectorAll('h1').length")
                            .getAsInt())
                    .isEqualTo(1);
            assertThat(browser.run("return document.querySelectorAll('nav[aria-label]').length")
                            .getAsInt())
                    .isPositive();
            assertThat(browser.run("return [...document.querySelectorAll('table')]"
                                    + ".filter(t => !t.caption || !t.querySelector('th[scope=col]')).length")
                            .getAsInt())
                    .as(path)
                    .isZero();
            assertThat(browser.run(
                                    "return [...document.querySelectorAll('input')].filter(i => !i.labels.length).length")
                            .getAsInt())
                    .isZero();
            assertThat(browser.run("const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                                    + "return ids.length - new Set(ids).size")
                            .getAsInt())
                    .as("each id of %s is used once", path)
                    .isZero();
        }
    }

    @Test
    void screenshotsAreTakenInLightDarkAndPhoneLayouts() throws Exception {
        DemoCluster.fill(rig);
        browser.size(1280, 860, false);
        for (String scheme : List.of("light", "dark")) {
            browser.colors(scheme);
            open("/");
            picture("overview-" + scheme);
            open("/volumes");
            picture("volumes-" + scheme);
            open(Links.address(VolumeKey.of("shop", "orders-db")));
            picture("volume-" + scheme);
            browser.run("document.getElementById('history').scrollIntoView()");
            picture("history-" + scheme);
            open("/calls");
            picture("calls-" + scheme);
            open("/nodes");
            picture("nodes-" + scheme);
            open("/waiting");
            picture("waiting-" + scheme);
            String page = browser.run("return getComputedStyle(document.body).backgroundColor")
                    .getAsString();
            assertThat(page).isEqualTo(scheme.equals("light") ? "rgb(245, 246, 248)" : "rgb(18, 22, 28)");
        }
        browser.colors("light");
        browser.size(390, 844, true);
        for (String path : PAGES) {
            open(path);
            int overflow = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
                    .getAsInt();
            assertThat(overflow).as("%s fits on a phone screen", path).isLessThanOrEqualTo(0);
        }
        open("/");
        picture("overview-phone");
        open("/volumes");
        picture("volumes-phone");
        open(Links.address(VolumeKey.of("shop", "orders-db")));
        picture("volume-phone");
    }

    private void open(String path) throws Exception {
        browser.open(rig.at(path));
        browser.await("return document.getElementById('stream-state').textContent === 'live'");
    }
}
