package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.node.ScriptedNode.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin mounts a target, but loses its record before it answers. A second mount would be on top of the first. */
class UnansweredPublishTest {
    @TempDir
    Path base;

    private Bench bench;
    private Path target;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        target = Path.of(bench.target("v", "a"));
    }

    /** Makes the first NodePublishVolume mount the target without a response, and the plugin forget this mount. */
    private void loseTheFirstAnswer() {
        boolean[] first = {true};
        bench.node.fates = rpc -> {
            if (rpc != Rpc.NODE_PUBLISH_VOLUME || !first[0]) {
                return Fate.OK;
            }
            first[0] = false;
            bench.time.schedule(Duration.ofMillis(6), () -> bench.node.loseRecord(target.toString()));
            return Fate.LOST_ANSWER;
        };
    }

    private List<String> targetCalls() {
        return bench.node.log.stream()
                .filter(call -> call.contains("ublishVolume"))
                .toList();
    }

    @Test
    void mountLeftByUnansweredPublishIsUnpublishedBeforeRetry() {
        loseTheFirstAnswer();
        bench.done(bench.mount("v", "a"));
        assertThat(bench.node.layers).containsEntry(target, 1);
        assertThat(targetCalls())
                .containsExactly(
                        "NodePublishVolume a LOST_ANSWER", "NodeUnpublishVolume a OK", "NodePublishVolume a OK");
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void mountLeftByPublishInterruptedByCrashIsUnpublishedBeforeRetry() {
        loseTheFirstAnswer();
        CompletableFuture<MountedVolume> unused = bench.mount("v", "a");
        while (targetCalls().isEmpty()) {
            bench.time.advance(Duration.ofMillis(1));
        }
        bench.crash();
        bench.time.advance(Duration.ofMillis(10));
        assertThat(bench.node.mounts).contains(target);
        bench.open();
        bench.done(bench.mount("v", "a"));
        assertThat(bench.node.layers).containsEntry(target, 1);
        assertThat(targetCalls())
                .containsExactly(
                        "NodePublishVolume a LOST_ANSWER", "NodeUnpublishVolume a OK", "NodePublishVolume a OK");
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void unansweredPublishThatLeftNoMountIsRepeatedAtOnce() {
        boolean[] first = {true};
        bench.node.fates = rpc -> {
            boolean lost = rpc == Rpc.NODE_PUBLISH_VOLUME && first[0];
            first[0] &= !lost;
            return lost ? Fate.NOT_DONE : Fate.OK;
        };
        bench.done(bench.mount("v", "a"));
        assertThat(targetCalls()).containsExactly("NodePublishVolume a NOT_DONE", "NodePublishVolume a OK");
    }

    @Test
    void publishIsNotRepeatedIfPluginForgetsTargetThatIsStillMounted() {
        loseTheFirstAnswer();
        bench.node.denies = true;
        Throwable error = bench.failed(bench.mount("v", "a"));
        assertThat(error).isInstanceOf(NodeVolumeException.class).hasMessageContaining("still mounted");
        assertThat(bench.node.layers).containsEntry(target, 1);
        assertThat(bench.node.log)
                .filteredOn(call -> call.startsWith("NodePublishVolume"))
                .hasSize(1);
    }

    @Test
    void mountUsedByRunningWorkloadIsKeptIfRecordAndResponseAreLost() {
        bench.done(bench.mount("v", "a"));
        bench.crash();
        assertThat(bench.base.resolve("ledger/ns/v.rec").toFile().delete()).isTrue();
        bench.node.living.add(target.toString());
        boolean[] first = {true};
        bench.node.fates = rpc -> {
            boolean lost = rpc == Rpc.NODE_PUBLISH_VOLUME && first[0];
            first[0] &= !lost;
            return lost ? Fate.LOST_ANSWER : Fate.OK;
        };
        bench.open();
        bench.done(bench.mount("v", "a"));
        assertThat(first[0]).isFalse();
        assertThat(bench.node.violations).isEmpty();
    }
}
