package io.csi4j.admin.internal.console;

import static io.csi4j.admin.AdminRig.DISK;
import static io.csi4j.admin.AdminRig.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminRig;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsolePagesTest {
    private static final List<String> PAGES =
            List.of("/", "/volumes", "/classes", "/waiting", "/plugins", "/nodes", "/calls", "/log");
    private static final Pattern NEXT = Pattern.compile("href=\"([^\"]*)\" id=\"next-page\"|id=\"next-page\"[^>]*");

    private AdminRig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new AdminRig();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private static String text(String page) {
        return page.substring(page.indexOf("<div id=\"live\">"))
                .replaceAll("<[^>]*>", " ")
                .replaceAll("\\s+", " ");
    }

    @Test
    void allPagesAreServedForEmptyCluster() throws Exception {
        for (String path : PAGES) {
            String page = rig.page(path);
            assertThat(page).startsWith("<!doctype html>").contains("aria-current=\"page\"", "lang=\"en\"");
        }
        assertThat(text(rig.page("/"))).contains("This server can do its work", "It leads");
        assertThat(text(rig.page("/waiting"))).contains("No claim waits.");
    }

    @Test
    void volumePageShowsHolderAndWaitingClaimWithReason() throws Exception {
        rig.node("n1", DISK).node("n2", DISK).volume(key("db"));
        rig.done(rig.claim("web-1", "n1", key("db")));
        CompletableFuture<?> waiting = rig.claim("web-2", "n2", key("db"));
        // The history and the reason arrive in either order.
        rig.awaitPage("/volume?namespace=default&id=db", "web-2 waits");
        String page = text(rig.awaitPage("/volume?namespace=default&id=db", "held by allocation web-1 on node n1"));
        assertThat(page)
                .contains(
                        "web-1",
                        "web-2 waits",
                        "in use",
                        "claimed on other node",
                        "held by allocation web-1 on node n1")
                .contains("10 GiB");
        assertThat(text(rig.awaitPage("/volumes", "web-1 on n1")))
                .contains("default/db disk disk.csi.example.com 2.4.1 - in use 10 GiB")
                .contains("single node writer mount ext4, 1 flag (not shown) web-1 on n1 1 -");
        assertThat(text(rig.awaitPage("/waiting", "claimed on other node")))
                .contains("1 claim waits", "claimed on other node");
        String found = "/waiting?prefix=web-&namespace=default&plugin=disk&node=n2&reason=claimed_on_other_node";
        assertThat(text(rig.page(found))).contains("1 claim waits", "web-2");
        assertThat(rig.page(found)).contains("value=\"claimed_on_other_node\" selected=\"selected\"");
        for (String none : List.of("prefix=db", "namespace=team", "plugin=nas", "node=n1", "reason=node_full")) {
            assertThat(text(rig.page("/waiting?" + none))).as(none).contains("No claim waits.");
        }
        assertThat(waiting).isNotDone();
    }

    @Test
    void lostVolumeIsShownWithItsRemedy() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        rig.lose(key("db"));
        assertThat(text(rig.page("/volumes"))).contains("free lost");
        assertThat(text(rig.page("/volume?namespace=default&id=db")))
                .contains("Since the restore lost since 20")
                .contains("the provider did not have it 2 times", "delete or forget the volume", "recheck")
                .contains("waits volume lost");
        assertThat(rig.page("/v1/volumes/default/db")).contains("\"verification\":{\"stage\":\"LOST\",\"since\":\"20");
        assertThat(rig.page("/v1/volumes?namespace=default"))
                .contains("the storage provider does not have it since the state was restored");
        assertThat(rig.page("/health")).contains("volume_lost", "default/db");
        rig.done(rig.lifecycle.operator().recheck(key("db")));
        assertThat(text(rig.awaitPage("/volume?namespace=default&id=db", "confirmed")))
                .contains("Since the restore confirmed since 20")
                .doesNotContain("did not have it", "waits volume lost");
        assertThat(text(rig.page("/volumes"))).doesNotContain("lost");
    }

    @Test
    void undeclaredControllerIsShownOnThePagesOfPluginsAndInTheHealth() throws Exception {
        rig.trust = (state, controller) -> !controller.nodeId().value().equals("n2");
        rig.node("n1", DISK).node("n2", DISK);
        assertThat(text(rig.awaitPage("/plugins", "1 undeclared"))).contains("disk 1 undeclared possible 1 2");
        assertThat(text(rig.page("/plugin?id=disk")))
                .contains("1 controllers were not declared and are not called")
                .contains("n2 monolith undeclared controller");
        assertThat(rig.page("/health")).contains("controller_undeclared", "by node n2");
    }

    @Test
    void instanceWithoutAnswerIsShownOnThePagesOfPluginsAndNodes() throws Exception {
        PluginId added = PluginId.of("added");
        rig.node("n1", DISK).silent("n2", added);
        assertThat(text(rig.awaitPage("/plugins", "without an answer")))
                .contains("added 1 without an answer yet not possible 0 0");
        assertThat(text(rig.page("/plugin?id=added")))
                .contains("n2 node registered, no answer yet its socket is missing");
        assertThat(text(rig.page("/nodes")))
                .contains("0 of 0, 1 without an answer yet")
                .contains("1 of 1");
    }

    @Test
    void securityLabelOfAClaimIsShownWithIt() throws Exception {
        MountOptions labelled = MountOptions.none().withLabel(new SecurityLabel("system_u:object_r:a_t:s0:c1,c2"));
        rig.node("n1", DISK).volume(key("db")).volume(key("plain"));
        rig.done(rig.claim("web-1", "n1", key("db"), labelled));
        rig.done(rig.claim("web-2", "n1", key("plain")));
        assertThat(text(rig.page("/volume?namespace=default&id=db")))
                .contains("web-1 n1 write, label system_u:object_r:a_t:s0:c1,c2 taken");
        assertThat(text(rig.page("/volume?namespace=default&id=plain")))
                .contains("web-2 n1 write taken")
                .doesNotContain("label");
        for (String path : List.of("/v1/volumes/default/db", "/v1/allocations/web-1")) {
            assertThat(rig.page(path)).contains("\"securityLabel\":\"system_u:object_r:a_t:s0:c1,c2\"");
        }
        assertThat(rig.page("/v1/volumes/default/plain")).doesNotContain("securityLabel");
    }

    @Test
    void volumePageShowsHistoryAsSequenceDiagramWithCallsAndFailures() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        rig.done(rig.claim("web-1", "n1", key("db")));
        rig.answers =
                (plugin, unpublish) -> CompletableFuture.failedFuture(AdminRig.failure(plugin, StatusCode.INTERNAL));
        rig.end("web-1");
        String page = rig.awaitPage("/volume?namespace=default&id=db", "internal");
        assertThat(page)
                .contains("<svg class=\"sequence\"", "role=\"img\"")
                .contains("web-1 claims the volume", "granted to web-1", "ControllerPublishVolume")
                .contains("NodeUnpublishVolume", "web-1 releases the volume", "ControllerUnpublishVolume");
        assertThat(text(page)).contains("node detached", "Remaining work");
        assertThat(text(rig.awaitPage("/calls", "internal"))).contains("ControllerUnpublishVolume");
        assertThat(text(rig.awaitPage("/", "internal"))).contains("Last failed calls");
    }

    @Test
    void pluginPageShowsExpectedAndHealthyInstanceCounts() throws Exception {
        rig.node("n1", DISK)
                .node("n2", DISK)
                .node("n2", false, DISK)
                .expect(DISK, 2, 3)
                .volume(key("db"));
        assertThat(text(rig.awaitPage("/plugins", "1 of 3"))).contains("disk possible 1 of 2 1 of 3");
        assertThat(text(rig.page("/plugins?prefix=di&claims=yes&controller=yes")))
                .contains("disk possible 1 of 2 1 of 3 disk.csi.example.com 2.4.1");
        for (String none : List.of("prefix=nas", "claims=no", "controller=no", "after=disk")) {
            assertThat(text(rig.page("/plugins?" + none))).as(none).doesNotContain("disk possible");
        }
        assertThat(text(rig.page("/plugin?id=disk")))
                .contains("n2 monolith not healthy no answer to Probe since 2 min", "version 2.4.1");
        rig.node("n1", false, DISK);
        assertThat(text(rig.awaitPage("/", "plugin not usable")))
                .contains("with 2 problems", "0 of 3", "no answer to Probe since 2 min");
    }

    @Test
    void pluginPageShowsWhatForgottenVolumeMayHaveLeftOnNodes() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        rig.done(rig.claim("web-1", "n1", key("db")));
        assertThat(rig.page("/plugin?id=disk")).doesNotContain("Left by forgotten volumes");
        rig.answers =
                (plugin, unpublish) -> CompletableFuture.failedFuture(AdminRig.failure(plugin, StatusCode.INTERNAL));
        rig.end("web-1");
        rig.awaitPage("/volume?namespace=default&id=db", "internal");
        rig.done(rig.lifecycle.operator().forgetVolume(key("db"), "array <sold>"));
        assertThat(text(rig.awaitPage("/plugin?id=disk", "Left by forgotten volumes")))
                .contains("default/db", "n1 (attached)", "array &lt;sold&gt;");
    }

    @Test
    void pluginPageShowsWithdrawnCreations() throws Exception {
        rig.node("n1", DISK);
        CompletableFuture<?> creation = rig.lifecycle
                .volumes()
                .create(
                        key("db"),
                        VolumeSpec.builder(DISK)
                                .requestedCapabilities(List.of(AdminRig.WRITER))
                                .build());
        rig.awaitPage("/calls", "CreateVolume");
        assertThat(text(rig.page("/calls?namespace=team"))).contains("No call is in flight or waits.");
        rig.done(rig.lifecycle.operator().withdrawCreation(key("db"), "array sold"));
        // The row says "in progress" until the failure of the call has arrived.
        assertThat(text(rig.awaitPage("/plugin?id=disk", "unclear")))
                .contains("Withdrawn creations", "default/db", "array sold");
        assertThat(creation).failsWithin(Duration.ofSeconds(20));
    }

    @Test
    void nodePageShowsStatusPluginsAndVolumes() throws Exception {
        rig.node("n1", DISK).node("n2", DISK).volume(key("db"));
        rig.done(rig.claim("web-1", "n1", key("db")));
        rig.done(rig.lifecycle.cluster().nodeDown(NodeId.of("n2"), "power lost"));
        String nodes = text(rig.awaitPage("/nodes", "power lost"));
        assertThat(nodes).contains("n1 ready").contains("1 of 1 1 ").contains("n2 down");
    }

    @Test
    void callInFlightIsShownWithItsAge() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        rig.answers = (plugin, unpublish) -> new CompletableFuture<>();
        CompletableFuture<?> claim = rig.claim("web-1", "n1", key("db"));
        String calls = text(rig.awaitPage("/calls", "ControllerPublishVolume"));
        assertThat(calls).contains("1 in flight, 0 wait for a permit", "disk default/db in flight on n1");
        assertThat(claim).isNotDone();
    }

    @Test
    void everyTextOnPagesIsHtmlEscaped() throws Exception {
        String evil = "<script>window.pwned=1</script>\"'&";
        PluginId plugin = PluginId.of("\"><img src=x onerror=alert(1)>");
        VolumeKey volume = VolumeKey.of("<b>team", evil);
        rig.node("<i>node", plugin).volume(volume, plugin, 1);
        rig.done(rig.claim("</td><script>a", "<i>node", volume));
        rig.done(rig.lifecycle.cluster().nodeDown(NodeId.of("<i>node"), "<u>reason"));
        List<String> pages = new ArrayList<>(PAGES);
        pages.add(Links.address(volume));
        pages.add(Request.address("/plugin", "id", plugin.value()));
        pages.add(Request.address("/volumes", "prefix", evil));
        pages.add("/volume?namespace=%3Cscript%3E&id=%22%3E%3Cscript%3E");
        pages.add("/%3Cscript%3E");
        int displayed = 0;
        for (String path : pages) {
            String page = rig.get(path).body();
            assertThat(page).as(path).doesNotContain("<script>", "<img", "<b>", "<i>", "<u>", "onerror=alert(1)>\"");
            displayed += page.contains("&lt;script&gt;window.pwned=1&lt;/script&gt;") ? 1 : 0;
        }
        assertThat(displayed).as("number of pages that show the volume").isGreaterThanOrEqualTo(3);
        assertThat(rig.page("/nodes")).contains("&lt;u&gt;reason");
    }

    @Test
    void pagesShowNoSecretsOrPublishContext() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        rig.done(rig.claim("web-1", "n1", key("db")));
        List<String> pages = new ArrayList<>(PAGES);
        pages.add("/volume?namespace=default&id=db");
        pages.add("/plugin?id=disk");
        pages.add("/health");
        for (String path : pages) {
            assertThat(rig.page(path)).as(path).doesNotContain("hunter2", "secret-", "/dev/sdb");
        }
    }

    @Test
    void followingPageLinksShowsEveryVolumeExactlyOnce() throws Exception {
        rig.node("n1", DISK).volumes("default", "v", 130);
        Set<String> found = new TreeSet<>();
        String path = "/volumes?plugin=disk";
        int pages = 0;
        while (path != null) {
            String page = rig.page(path);
            Matcher volumes = Pattern.compile(">default/(v\\d+)<").matcher(page);
            int onPage = 0;
            while (volumes.find()) {
                assertThat(found.add(volumes.group(1))).isTrue();
                onPage++;
            }
            assertThat(onPage).isPositive().isLessThanOrEqualTo(VolumesPage.SIZE);
            pages++;
            Matcher next = NEXT.matcher(page);
            path = next.find() && next.group(1) != null ? next.group(1).replace("&amp;", "&") : null;
        }
        assertThat(pages).isEqualTo(3);
        assertThat(found).hasSize(130);
    }

    @Test
    void nodeListHasFilterAndPages() throws Exception {
        rig.node("gone", DISK);
        for (int i = 0; i <= NodesPage.SIZE; i++) {
            rig.done(rig.lifecycle.cluster().nodeReady(NodeId.of("n" + (100 + i))));
        }
        rig.done(rig.lifecycle.cluster().nodeDown(NodeId.of("gone"), "switched off"));
        String first = text(rig.page("/nodes?prefix=n&status=ready"));
        assertThat(first).contains("n149", "Next page").doesNotContain("n150", "gone");
        Matcher next = NEXT.matcher(rig.page("/nodes?prefix=n&status=ready"));
        assertThat(next.find()).isTrue();
        assertThat(next.group(1).replace("&amp;", "&")).isEqualTo("/nodes?prefix=n&status=ready&after=n149");
        assertThat(text(rig.page("/nodes?prefix=n&status=ready&after=n149")))
                .contains("n150", "First page")
                .doesNotContain("n149", "Next page");
        assertThat(text(rig.page("/nodes?plugin=disk"))).contains("gone down").doesNotContain("n100");
        assertThat(rig.get("/nodes?status=asleep").statusCode()).isEqualTo(400);
    }

    @Test
    void pageIsSmallWithHundredThousandVolumes() throws Exception {
        rig.node("n1", DISK).volumes("default", "v", 100_000);
        assertThat(text(rig.awaitPage("/", "100000"))).contains("Volumes 100000");
        String page = rig.page("/volumes?afterNamespace=default&afterId=v090000");
        assertThat(page).contains("v090001").doesNotContain("v090052");
        assertThat(page.length()).isLessThan(60_000);
    }

    @Test
    void volumeListCanBeFilteredByNamespaceIdPrefixPluginOrNode() throws Exception {
        PluginId nas = PluginId.of("nas");
        rig.node("n1", DISK, nas).volume(key("db-1")).volume(key("web-1")).volume(VolumeKey.of("team", "db-2"), nas, 1);
        rig.done(rig.claim("a", "n1", key("web-1")));
        assertThat(text(rig.awaitPage("/volumes?node=n1", "web-1"))).doesNotContain("db-1", "db-2");
        assertThat(text(rig.page("/volumes?prefix=db")))
                .contains("db-1", "db-2")
                .doesNotContain("web-1");
        assertThat(text(rig.page("/volumes?plugin=nas"))).contains("db-2").doesNotContain("db-1");
        assertThat(text(rig.page("/volumes?namespace=team"))).contains("db-2").doesNotContain("db-1");
        assertThat(rig.page("/volumes?prefix=db")).contains("name=\"prefix\" value=\"db\"");
    }

    @Test
    void pageOfAPluginShowsItsProfileWithTheCommandsForIt() throws Exception {
        rig.node("n1", DISK).volume(key("plain"));
        assertThat(text(rig.page("/plugin?id=disk"))).contains("gets the requests of CSI only");
        rig.done(rig.lifecycle
                .cluster()
                .putPluginProfile(PluginProfile.builder(DISK).workloadInfo(true).build(), 0));
        long revision = rig.done(rig.lifecycle.cluster().pluginProfile(DISK))
                .orElseThrow()
                .modifyIndex();
        assertThat(text(rig.page("/plugin?id=disk")))
                .contains(
                        "Workload info Extra metadata Snapshot metadata Security label Files that nodes give to a group Published again Tokens Revision yes no no no all files no none "
                                + revision,
                        "csi plugin profile put disk",
                        "csi plugin profile remove disk")
                .doesNotContain("gets the requests of CSI only", "Calls per volume");
        rig.done(rig.lifecycle
                .cluster()
                .putPluginProfile(
                        PluginProfile.builder(DISK)
                                .calls(CallSettings.builder()
                                        .callsPerVolume(3)
                                        .rules(CallRules.defaults().withNotFoundAsDone())
                                        .build())
                                .build(),
                        0));
        assertThat(text(rig.page("/plugin?id=disk")))
                .contains(
                        "Calls in flight Calls per volume Controllers by place as the engine says 3 no",
                        "NOT_FOUND of ControllerUnpublishVolume and DeleteVolume counts as success");
        rig.done(rig.lifecycle
                .cluster()
                .putPluginProfile(
                        PluginProfile.builder(DISK)
                                .republishInterval(Duration.ofMinutes(10))
                                .tokenAudiences(List.of("sts.example.com", ""))
                                .build(),
                        0));
        assertThat(text(rig.page("/plugin?id=disk")))
                .contains("every 10 min for sts.example.com, the default of the issuer in the secrets");
        rig.done(rig.lifecycle
                .cluster()
                .putPluginProfile(
                        PluginProfile.builder(DISK)
                                .ownershipExcludes(List.of(".snapshot", "<b>"))
                                .build(),
                        0));
        String excluding = rig.page("/plugin?id=disk");
        assertThat(text(excluding)).contains("all but .snapshot, ");
        assertThat(excluding).doesNotContain("<b>");
        rig.done(rig.lifecycle
                .cluster()
                .putPluginProfile(
                        PluginProfile.builder(DISK).ownershipFixed(true).build(), 0));
        assertThat(text(rig.page("/plugin?id=disk")))
                .contains("Files that nodes give to a group Published again Tokens Revision no no no no no files");
    }

    @Test
    void quotasAreShownWithTheirUseBesideTheClasses() throws Exception {
        rig.node("n1", DISK).volume(key("plain"));
        assertThat(text(rig.page("/classes"))).doesNotContain("Quotas");
        rig.done(rig.lifecycle
                .quotas()
                .put(new VolumeQuota(
                        QuotaKey.of(Namespace.of("default")), OptionalLong.of(0), OptionalLong.of(5L << 30))));
        rig.done(rig.lifecycle
                .quotas()
                .put(new VolumeQuota(
                        QuotaKey.of(Namespace.of("team"), VolumeClassName.of("a<b")),
                        OptionalLong.of(7),
                        OptionalLong.empty())));
        String all = rig.page("/classes");
        assertThat(text(all)).contains("Quotas", "1 of 0", "of 5 GiB", "yes", "0 of 7");
        assertThat(all).doesNotContain("a<b");
        assertThat(text(rig.page("/classes?namespace=team"))).contains("0 of 7").doesNotContain("1 of 0");
    }

    @Test
    void classPagesShowClassesWithLinksToTheirVolumes() throws Exception {
        VolumeClassName fast = VolumeClassName.of("fast <b>");
        rig.node("n1", DISK).volume(key("plain"));
        assertThat(text(rig.page("/classes"))).contains("No volume class matches.");
        rig.done(rig.lifecycle
                .classes()
                .put(VolumeClass.builder(fast, DISK)
                        .requestedCapabilities(List.of(AdminRig.WRITER))
                        .leastBytes(1 << 30)
                        .greatestBytes(5L << 30)
                        .parameters(Map.of("tier", "s3cret-tier"))
                        .namespaces(List.of(Namespace.of("default"), Namespace.of("team")))
                        .build()));
        rig.done(rig.lifecycle
                .log()
                .submit(new VolumeCommand.CreateFromClass(
                        key("db"),
                        VolumeTemplate.of(fast),
                        rig.environment.clock().instant())));
        String list = rig.page("/classes?namespace=team");
        assertThat(text(list))
                .contains("disk", "1 GiB to 5 GiB", "single node writer", "at creation", "delete", "default, team");
        assertThat(list)
                .contains("href=\"/class?name=fast+%3Cb%3E\"", "href=\"/volumes?class=fast+%3Cb%3E\"")
                .doesNotContain("<b>", "s3cret");
        assertThat(text(rig.page("/classes?namespace=other"))).contains("No volume class matches.");
        String one = rig.page("/class?name=fast+%3Cb%3E");
        assertThat(text(one))
                .contains("1 parameter, 0 mutable parameters, 0 mount flags, 0 secrets", "chosen at creation")
                .contains("csi class remove &#39;fast &lt;b&gt;&#39;");
        assertThat(one).doesNotContain("<b>", "s3cret");
        assertThat(text(rig.page("/volumes?class=fast+%3Cb%3E"))).contains("db").doesNotContain("plain");
        assertThat(rig.page("/volume?namespace=default&id=db"))
                .contains("href=\"/class?name=fast+%3Cb%3E\"", "incarnation")
                .doesNotContain("csi volume create");
        assertThat(rig.get("/class?name=fast").statusCode()).isEqualTo(404);
    }

    @Test
    void nodePageShowsWhatTheNodeReports() throws Exception {
        rig.node("n1", DISK).volume(key("db"));
        assertThat(text(rig.awaitPage("/node?id=n1", "Last contact"))).contains("No volume is on the node");
        rig.report = new NodeReport(List.of(new NodeVolume(
                key("db"),
                Optional.of(DISK),
                Optional.empty(),
                false,
                true,
                "",
                List.of(new NodeVolume.Use(
                        AllocationId.of("web"),
                        NodeVolume.State.UNMOUNTING,
                        Optional.empty(),
                        false,
                        "the mount does not answer")),
                Optional.of(new NodeVolume.Call(Rpc.NODE_UNPUBLISH_VOLUME, Duration.ofSeconds(70))),
                "a call to its plugin is under way",
                "still published at <b>old</b>",
                Duration.ofSeconds(75))));
        assertThat(rig.awaitPage("/node?id=n1", "NodeUnpublishVolume")).doesNotContain("<b>old</b>");
        assertThat(text(rig.page("/node?id=n1")))
                .contains(
                        "web unmounting (the mount does not answer)",
                        "NodeUnpublishVolume, for 1 min",
                        "still published at",
                        " ago");
        assertThat(text(rig.awaitPage("/nodes", "1 failing"))).contains("Last contact", "On the node");
        assertThat(text(rig.page("/plugin?id=disk"))).contains("Changed", "Last contact");
        assertThat(text(rig.page("/volume?namespace=default&id=db")))
                .contains(
                        "On the nodes", "web unmounting (the mount does not answer)", "NodeUnpublishVolume, for 1 min");
        assertThat(rig.get("/node?id=none").statusCode()).isEqualTo(404);
    }

    @Test
    void pagesOfObjectsShowTheCommandsThatActOnThem() throws Exception {
        VolumeKey odd = VolumeKey.of("it's", "a b");
        rig.node("n1", DISK).volume(odd, DISK, 1).volume(key("shown"));
        rig.done(rig.claim("holder", "n1", key("shown")));
        assertThat(rig.page("/volume?namespace=default&id=shown"))
                .contains(
                        "csi volume expand default shown --required SIZE",
                        "csi volume modify default shown --mutable-parameter NAME=VALUE",
                        "csi claim release default shown holder",
                        "csi volume detach default shown n1",
                        "csi volume forget default shown --reason TEXT");
        assertThat(rig.page("/volume?namespace=it%27s&id=a+b"))
                .contains("csi volume recheck &#39;it&#39;\\&#39;&#39;s&#39; &#39;a b&#39;");
        assertThat(rig.page("/node?id=n1")).contains("csi node fenced n1").doesNotContain("forget-unmount");
        assertThat(rig.page("/plugin?id=disk")).contains("csi plugin reconcile disk");
    }

    @Test
    void requestForUnknownPageOrObjectReturns404AndInvalidParameterReturns400() throws Exception {
        assertThat(rig.get("/nothing").statusCode()).isEqualTo(404);
        assertThat(rig.get("/volume?namespace=default&id=none").statusCode()).isEqualTo(404);
        assertThat(rig.get("/plugin?id=none").statusCode()).isEqualTo(404);
        assertThat(rig.get("/volume").statusCode()).isEqualTo(400);
        assertThat(rig.get("/volumes?node=" + "x".repeat(200)).statusCode()).isEqualTo(400);

        assertThat(rig.get("/assets/../Console.class").statusCode()).isEqualTo(404);
    }

    @Test
    void requestsWithHttpMethodsOtherThanGetAndHeadAreRefused() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS")) {
            HttpResponse<String> response = rig.http.send(
                    HttpRequest.newBuilder(rig.at("/"))
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .header("Content-Type", "application/json")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(method).isEqualTo(405);
            assertThat(response.headers().firstValue("Allow")).contains("GET, HEAD");
        }
        HttpResponse<String> head = rig.http.send(
                HttpRequest.newBuilder(rig.at("/"))
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void everyResponseForbidsContentFromOtherServersAndInlineScripts() throws Exception {
        for (String path : List.of("/", "/assets/console.js", "/assets/console.css", "/assets/icon.svg", "/none")) {
            HttpResponse<String> response = rig.get(path);
            assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .as(path)
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        }
        for (String path : PAGES) {
            assertThat(rig.page(path))
                    .doesNotContain(" style=", "http://", "https://")
                    .doesNotContainPattern(" on\\w+=\"");
        }
        assertThat(rig.page("/assets/console.js")).doesNotContain("http:", "https:");
        assertThat(rig.page("/assets/console.css")).doesNotContain("http:", "https:", "url(");
    }
}
