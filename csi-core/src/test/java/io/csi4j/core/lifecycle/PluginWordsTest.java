package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.LastFailures;
import io.csi4j.core.volume.Attachment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The plugin's own words reach the operator in the status and the log, and are not stored. */
class PluginWordsTest {
    private static final String WORDS = "disk 7 is\nlocked by\tarray job 4711";

    private final List<String> logged = new ArrayList<>();
    private final Logger logger = Logger.getLogger(LastFailures.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            logged.add(new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void collectLog() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopCollecting() {
        logger.removeHandler(handler);
    }

    private static CsiCallException failure(Rpc rpc, StatusCode code, String words) {
        return new CsiCallException(
                rpc,
                "p",
                "ext-vol",
                code,
                CallOutcome.of(rpc, code, true),
                rpc.csiName() + " for ext-vol at plugin p failed (" + code + "): " + words,
                null);
    }

    @Test
    void callThatFailedIsListedWithItsNextAttemptUntilItSucceeds() {
        LifecycleRig rig = stuck(StatusCode.UNAVAILABLE, WORDS);
        assertThat(rig.done(rig.host.operator().calls(CallQuery.all())).items())
                .as("between two attempts")
                .isEmpty();
        assertThat(rig.done(rig.host.operator().failedCalls())).singleElement().satisfies(failed -> {
            assertThat(failed.volume()).isEqualTo(VOL);
            assertThat(failed.pluginId()).isEqualTo(LifecycleRig.PLUGIN);
            assertThat(failed.failure().rpc()).isEqualTo(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
            assertThat(failed.failure().nodeId()).contains(NodeId.of("n1"));
            assertThat(failed.failure().text()).contains("locked by");
            assertThat(failed.nextAttempt().orElseThrow()).isAfter(rig.now());
        });
        rig.clock.advance(Duration.ofDays(30)); // All planned failures are used up.
        assertThat(rig.get(VOL).inUse()).isFalse();
        assertThat(rig.done(rig.host.operator().failedCalls())).isEmpty();
    }

    /** Returns a rig with a released volume whose plugin refuses to detach it. */
    private static LifecycleRig stuck(StatusCode code, String words) {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        for (int i = 0; i < 500; i++) {
            rig.gateway.plan(
                    Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                    call -> CompletableFuture.failedFuture(failure(Rpc.CONTROLLER_UNPUBLISH_VOLUME, code, words)));
        }
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        return rig;
    }

    private static List<CallFailure> failures(LifecycleRig rig) {
        return rig.done(rig.host.claims().status(VOL)).orElseThrow().failures();
    }

    @Test
    void statusShowsWordsOfPluginForFailedDetachmentInOneLine() {
        LifecycleRig rig = stuck(StatusCode.INTERNAL, WORDS);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(failures(rig)).singleElement().satisfies(failure -> {
            assertThat(failure.rpc()).isEqualTo(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
            assertThat(failure.nodeId()).contains(NodeId.of("n1"));
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure.text())
                    .contains("disk 7 is locked by array job 4711")
                    .doesNotContain("\n");
            assertThat(failure.failures()).isGreaterThan(2);
            assertThat(failure.since()).isBefore(failure.at());
        });
    }

    @Test
    void wordsOfPluginAreNotStored() {
        LifecycleRig rig = stuck(StatusCode.INTERNAL, WORDS);
        rig.clock.advance(Duration.ofMinutes(1));
        Attachment attachment = rig.get(VOL).attachments().on(NodeId.of("n1")).orElseThrow();
        assertThat(attachment.retry().lastError().orElseThrow())
                .contains("ControllerUnpublishVolume", "INTERNAL")
                .doesNotContain("4711");
    }

    @Test
    void longTextOfPluginIsCut() {
        LifecycleRig rig = stuck(StatusCode.INTERNAL, "x".repeat(100_000));
        rig.run();
        assertThat(failures(rig).get(0).text()).hasSizeLessThanOrEqualTo(600).endsWith("... (cut)");
    }

    @Test
    void failureLeavesStatusWhenCallSucceeds() {
        LifecycleRig rig = stuck(StatusCode.INTERNAL, WORDS);
        rig.run();
        assertThat(failures(rig)).hasSize(1);
        rig.gateway.forgetPlanned(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.get(VOL).attachments()).isEmpty();
        assertThat(failures(rig)).isEmpty();
    }

    @Test
    void successForOneNodeKeepsFailureForOtherNode() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SHARED));
        rig.done(rig.claim("b", "n2", SHARED));
        for (int i = 0; i < 100; i++) {
            rig.gateway.plan(Rpc.NODE_UNPUBLISH_VOLUME, call -> {
                if (call.node().equals(NodeId.of("n1"))) {
                    return CompletableFuture.failedFuture(
                            failure(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL, "target is busy"));
                }
                call.takeEffect();
                return CompletableFuture.completedFuture(null);
            });
        }
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("b")));
        rig.clock.advance(Duration.ofSeconds(30));
        assertThat(failures(rig)).singleElement().satisfies(failure -> {
            assertThat(failure.nodeId()).contains(NodeId.of("n1"));
            assertThat(failure.text()).contains("target is busy");
        });
    }

    @Test
    void lastingFailureIsLoggedOnceInTenMinutesWithCount() {
        LifecycleRig rig = stuck(StatusCode.INTERNAL, WORDS);
        rig.run();
        assertThat(logged).as("a failure that may pass by itself").isEmpty();
        rig.clock.advance(Duration.ofMinutes(9));
        assertThat(logged)
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains("volume " + VOL, "ControllerUnpublishVolume", "disk 7 is locked by array job 4711")
                        .doesNotContain("\n"));
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(logged).hasSize(2);
        assertThat(logged.get(1)).contains("more such failures");
    }

    @Test
    void failureThatNeedsRemedyIsLoggedAtFirstAttempt() {
        LifecycleRig rig = stuck(StatusCode.FAILED_PRECONDITION, "detach it from the old array first");
        rig.run();
        assertThat(logged).singleElement().satisfies(line -> assertThat(line).contains("detach it from the old array"));
    }

    @Test
    void claimAttachmentAndRetryShowTheirLastErrorAsText() {
        LifecycleRig rig = stuck(StatusCode.INTERNAL, WORDS);
        rig.run();
        Attachment attachment = rig.get(VOL).attachments().on(NodeId.of("n1")).orElseThrow();
        assertThat(attachment.retry().toString()).contains("ControllerUnpublishVolume", "INTERNAL");
        assertThat(attachment.toString()).contains("ControllerUnpublishVolume", "INTERNAL");
        LifecycleRig node = LifecycleRig.leading().volume(VOL);
        node.done(node.claim("a", "n1", SINGLE));
        node.gateway.plan(
                Rpc.NODE_UNPUBLISH_VOLUME,
                call -> CompletableFuture.failedFuture(
                        failure(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL, "target is busy")));
        node.done(node.host.cluster().allocationEnded(AllocationId.of("a")));
        assertThat(node.get(VOL)
                        .claims()
                        .get(AllocationId.of("a"))
                        .orElseThrow()
                        .toString())
                .contains("NodeUnpublishVolume", "INTERNAL")
                .doesNotContain("busy");
    }
}
