package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Uses marked secrets, contexts and mount flags in all situations. No event, exception, text, log or file name contains a mark. Among
 * files, only the ledger contains marks, and never those of secrets.
 */
class NodeCanaryTest {
    private static final String MARK = "canary";
    private static final String SECRET = "canary-secret";

    @TempDir
    Path base;

    private final StringBuilder observed = new StringBuilder();
    private final Logger root = Logger.getLogger("");
    private final Level before = root.getLevel();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            see(record.getMessage() + " " + java.util.Arrays.toString(record.getParameters()));
            if (record.getThrown() != null) {
                see(record.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private Bench bench;

    @BeforeEach
    void open() {
        handler.setLevel(Level.ALL);
        root.addHandler(handler);
        root.setLevel(Level.FINEST);
        bench = new Bench(base, 1, true);
        bench.secrets = (id, allocation) -> CompletableFuture.completedFuture(secrets());
    }

    @AfterEach
    void noMarkWasSeen() {
        root.removeHandler(handler);
        root.setLevel(before);
        see(bench.events);
        see(bench.volumes);
        see(bench.volumes.volumes());
        assertThat(observed.toString()).isNotEmpty().doesNotContain(MARK);
    }

    private synchronized void see(Object what) {
        if (what instanceof Throwable thrown) {
            StringWriter text = new StringWriter();
            thrown.printStackTrace(new PrintWriter(text, true));
            observed.append(text).append('\n');
        } else {
            observed.append(what).append('\n');
        }
    }

    private static MountSecrets secrets() {
        Secrets secrets = Secrets.of(Map.of(SECRET + "-key", SECRET));
        return new MountSecrets(secrets, secrets);
    }

    private NodeMount marked(String volume, String allocation, String flag) {
        NodeMount mount = Bench.request(volume, allocation)
                .mountOptions(MountOptions.of("ext4", flag))
                .publishContext(PublishContext.of(Map.of("device", "canary-publish")))
                .volumeContext(VolumeContext.of(Map.of("pool", "canary-volume")))
                .stageSecrets(secrets().stage())
                .publishSecrets(secrets().publish())
                .build();
        see(mount);
        see(secrets());
        return mount;
    }

    private CompletableFuture<MountedVolume> mount(String volume, String allocation) {
        return bench.volumes.mount(marked(volume, allocation, "canary-flag"));
    }

    private void ends(CompletableFuture<?> future) {
        bench.time.advance(Duration.ofMinutes(20));
        see(bench.volumes.volumes());
        try {
            see(future.join());
        } catch (CompletionException | CancellationException e) {
            see(e);
        }
    }

    @Test
    void successfulMountShowsNoSecrets() throws IOException {
        ends(mount("v", "a"));
        ledgerHoldsNoSecretAndNothingElseHoldsAnything();
        bench.restart();
        ends(mount("v", "a"));
        ends(bench.unmount("v", "a"));
    }

    @Test
    void failedMountShowsNoSecrets() {
        for (Rpc rpc : List.of(
                Rpc.NODE_STAGE_VOLUME, Rpc.NODE_PUBLISH_VOLUME, Rpc.NODE_UNPUBLISH_VOLUME, Rpc.NODE_UNSTAGE_VOLUME)) {
            for (Fate fate : Fate.values()) {
                boolean[] once = new boolean[1];
                bench.node.fates = called -> {
                    boolean hit = called == rpc && !once[0];
                    once[0] |= hit;
                    return hit ? fate : Fate.OK;
                };
                String volume = "v-" + rpc + "-" + fate;
                ends(mount(volume, "a"));
                ends(bench.unmount(volume, "a"));
                CompletableFuture<MountedVolume> cancelled = mount(volume, "b");
                bench.time.advance(Duration.ofMillis(7));
                cancelled.cancel(false);
                ends(cancelled);
                assertThat(once[0]).as("%s %s", rpc, fate).isTrue();
            }
        }
    }

    @Test
    void errorForConflictingMountShowsNoSecrets() {
        ends(mount("v", "a"));
        ends(bench.volumes.mount(marked("v", "b", "canary-other-flag")));
        ends(bench.volumes.mount(marked("v", "a", "canary-other-flag")));
        NodeMount grouped = Bench.request("w", "a")
                .mountOptions(new MountOptions(
                        "ext4", MountOptions.of("", "canary-flag").mountFlags(), "staff"))
                .build();
        see(grouped);
        ends(bench.volumes.mount(grouped));
        assertThat(observed.toString()).contains("beside allocation a").contains("volumeMountGroup");
    }

    @Test
    void unreadableRecordShowsNoSecrets() throws IOException {
        ends(mount("v", "a"));
        bench.crash();
        Path record = base.resolve("ledger/ns/v.rec");
        byte[] bytes = Files.readAllBytes(record);
        bytes[100] ^= 1;
        Files.write(record, bytes);
        bench.open();
        ends(bench.unmount("v", "a"));
        bench.checkpoint = () -> {
            throw new IOException("the disk is full");
        };
        ends(mount("w", "a"));
        bench.checkpoint = () -> {};
        ends(bench.volumes.check());
        assertThat(observed.toString()).contains("the disk is full");
        assertThat(bench.events)
                .extracting(NodeVolumeEvent::kind)
                .contains(NodeVolumeEvent.Kind.RECORD_SET_ASIDE, NodeVolumeEvent.Kind.OWNER_UNKNOWN);
    }

    @Test
    void repairAndMountAfterRebootShowNoSecrets() {
        bench.options = Bench.unsynced().brokenMounts(BrokenMounts.REPAIR).build();
        bench.restart();
        ends(mount("v", "a"));
        bench.probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.BROKEN);
        ends(bench.volumes.check());
        bench.probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.SOUND);
        bench.secrets = (id, allocation) ->
                CompletableFuture.failedFuture(new IllegalStateException("cannot read canary-secret"));
        bench.crash();
        bench.node.reboot();
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        see(bench.volumes.volumes());
        assertThat(bench.events).extracting(NodeVolumeEvent::message).anyMatch(text -> text.contains("secrets"));
    }

    @Test
    void repeatedPublicationShowsNoTokens() throws IOException {
        bench.tokens = request -> CompletableFuture.completedFuture(List.of(new PublishTokenProvider.Token(
                "sts", SECRET + "-token", bench.time.instant().plus(Duration.ofHours(1)))));
        RepublishOptions options = new RepublishOptions(
                Duration.ofMinutes(10),
                List.of("sts"),
                Optional.empty(),
                RepublishOptions.Delivery.VOLUME_CONTEXT,
                false);
        NodeMount mount = Bench.request("v", "a")
                .mountOptions(MountOptions.of("ext4", "canary-flag"))
                .republish(options)
                .build();
        see(mount);
        ends(bench.volumes.mount(mount));
        ledgerHoldsNoSecretAndNothingElseHoldsAnything();
        for (Fate fate : Fate.values()) {
            bench.node.fates = rpc -> fate;
            bench.time.advance(Duration.ofMinutes(30));
            see(bench.volumes.volumes());
        }
        bench.node.fates = rpc -> Fate.OK;
        bench.tokens = request -> CompletableFuture.failedFuture(new IllegalStateException(SECRET));
        bench.time.advance(Duration.ofHours(3));
        see(bench.volumes.volumes());
        ledgerHoldsNoSecretAndNothingElseHoldsAnything();
        ends(bench.unmount("v", "a"));
        assertThat(bench.node.publishRequests.get(0).volumeContext().asMap().toString())
                .contains(SECRET);
        assertThat(bench.events)
                .extracting(NodeVolumeEvent::kind)
                .contains(NodeVolumeEvent.Kind.REPUBLISH_FAILED, NodeVolumeEvent.Kind.CREDENTIAL_EXPIRED);
    }

    private void ledgerHoldsNoSecretAndNothingElseHoldsAnything() throws IOException {
        List<String> holders = new ArrayList<>();
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                assertThat(file.toString()).doesNotContain(MARK);
                if (Files.isRegularFile(file)) {
                    // Reads each byte as one character.
                    String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).replace("\0", "");
                    assertThat(text).as("%s", file).doesNotContain(SECRET);
                    if (text.contains(MARK)) {
                        holders.add(base.relativize(file).toString());
                    }
                }
            }
        }
        // Contexts and flags are only in the ledger, as documented; this also shows that the search finds marks.
        assertThat(holders).containsExactly("ledger/ns/v.rec");
    }
}
