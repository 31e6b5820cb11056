package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests for the machine that had the id of this node before. */
class OtherMachineTest {
    private static final ExternalNodeId FORMER = ExternalNodeId.of("i-1");
    private static final ExternalNodeId PRESENT = ExternalNodeId.of("i-2");

    @TempDir
    Path base;

    private Bench bench;

    private Bench on(ExternalNodeId machine) {
        bench = new Bench(base, 1, true);
        bench.node.externalId = machine.value();
        return bench;
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private CompletableFuture<Void> unmount(ExternalNodeId machine) {
        return bench.volumes.unmount(new NodeUnmount(Bench.id("v"), AllocationId.of("a"), Optional.of(machine)));
    }

    private CompletableFuture<MountedVolume> mount(ExternalNodeId machine) {
        return bench.volumes.mount(
                Bench.request("v", "a").externalNodeId(machine).build());
    }

    private static void refusedForOtherMachine(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(NodeVolumeException.Reason.OTHER_MACHINE))
                .hasMessageContaining("i-1");
    }

    @Test
    void newMachineDoesNotAnswerThatNothingIsMountedOnTheFormerOne() {
        on(PRESENT);
        refusedForOtherMachine(bench.failed(unmount(FORMER)));
        bench.done(unmount(PRESENT));
    }

    @Test
    void newMachineDoesNotMountWhatWasPublishedToTheFormerOne() {
        on(PRESENT);
        refusedForOtherMachine(bench.failed(mount(FORMER)));
        assertThat(bench.node.log).isEmpty();
        bench.done(mount(PRESENT));
    }

    @Test
    void machineWithoutThePluginAnswersOnlyIfThePluginHasKnownItByThatId() {
        on(FORMER);
        bench.done(mount(FORMER));
        bench.done(unmount(FORMER));
        bench.restart();
        bench.node.there = false;
        bench.done(unmount(FORMER));
        assertThat(bench.failed(unmount(PRESENT)))
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("never said");
    }

    @Test
    void ledgerReportSaysWhichMachineItIsFrom() {
        on(FORMER);
        bench.done(mount(FORMER));
        assertThat(bench.done(bench.volumes.ledger()).machine(Bench.id("v").pluginId()))
                .contains(FORMER);
        bench.done(unmount(FORMER));
        bench.restart();
        bench.node.there = false;
        assertThat(bench.done(bench.volumes.ledger()).machine(Bench.id("v").pluginId()))
                .as("without the plugin")
                .contains(FORMER);
    }

    @Test
    void ledgerReportOfMachineWithoutMountsSaysWhichMachineItIsFrom() {
        on(PRESENT);
        assertThat(bench.done(bench.volumes.ledger()).machines()).contains(Map.of());
        bench.volumes.pluginChanged(Bench.id("v").pluginId());
        assertThat(bench.done(bench.volumes.ledger()).machine(Bench.id("v").pluginId()))
                .contains(PRESENT);
    }

    @Test
    void ledgerOnAnotherMachineMountsNothingWithTheFormerPublishContext() {
        on(FORMER);
        bench.done(mount(FORMER));
        bench.crash();
        bench.node.mounts.clear();
        bench.node.staged.clear();
        bench.node.published.clear();
        bench.node.boot = "boot-2";
        bench.node.externalId = PRESENT.value();
        bench.node.log.clear();
        bench.open();
        bench.time.advance(java.time.Duration.ofHours(1));
        assertThat(bench.node.log).isEmpty();
        assertThat(bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow().waitingFor())
                .contains("another external id");
        bench.done(mount(PRESENT));
        assertThat(bench.node.mounts).contains(Path.of(bench.target("v", "a")));
    }
}
