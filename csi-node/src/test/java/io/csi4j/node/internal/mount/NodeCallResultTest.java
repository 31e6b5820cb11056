package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.Bench;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCallResultTest {
    private static final NodeVolumeId ID = Bench.id("v");
    private static final UseId USE = UseId.first(AllocationId.of("a"));
    private static final MountAction PUBLISH = new MountAction.Publish(USE);
    private static final MountAction STAGE = new MountAction.Stage(MountTerms.UNKNOWN);
    private static final Optional<MountPoints> UNREADABLE = Optional.empty();
    private static final Optional<MountPoints> NOTHING = Optional.of(MountPoints.of(List.of()));

    private final CsiCallException notFound = failure(StatusCode.NOT_FOUND);
    private final CsiCallException internal = failure(StatusCode.INTERNAL);

    @TempDir
    Path temporary;

    private Path path;

    @BeforeEach
    void namePath() throws IOException {
        path = temporary.toRealPath().resolve("path");
    }

    private static CsiCallException failure(StatusCode code) {
        Rpc rpc = Rpc.NODE_UNPUBLISH_VOLUME;
        return new CsiCallException(rpc, "p", null, code, CallOutcome.of(rpc, code, false), "failed", null);
    }

    private static VolumeEntry entry(boolean observed) {
        return new VolumeEntry(
                ID.volume(),
                ID,
                new StagingEntry(MountTerms.UNKNOWN, StagingPhase.STAGING, "boot", observed),
                List.of(new UseEntry(USE, MountTerms.UNKNOWN, UsePhase.PUBLISHING, "boot", observed)),
                false,
                0);
    }

    private static Optional<MountPoints> mounted(Path point) {
        return Optional.of(MountPoints.of(List.of(point)));
    }

    private static VolumeEntry blockEntry() {
        MountTerms terms = MountTerms.of(NodeMount.builder(
                        ID, USE.allocationId(), RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER))
                .build());
        return entry(false).change(USE, use -> new UseEntry(USE, terms, UsePhase.PUBLISHING, "boot", false));
    }

    private NodeCallResult result(MountAction action, Throwable error, Optional<MountPoints> table) {
        return NodeCallResult.of(entry(false), action, path, error, table, Set.of());
    }

    private void succeeds(boolean observed, NodeCallResult result) {
        assertThat(result).isEqualTo(new NodeCallResult(null, observed, false));
    }

    private void fails(String text, boolean observed, boolean vain, NodeCallResult result) {
        assertThat(result.problem()).hasMessageContaining(text);
        assertThat(result.observed()).isEqualTo(observed);
        assertThat(result.vain()).isEqualTo(vain);
    }

    @Test
    void unmountCountsOnlyIfNothingIsMountedAtOrBelowThePath() {
        for (MountAction action : List.of(
                new MountAction.Unpublish(USE),
                new MountAction.Unstage(),
                new MountAction.UnpublishOrphan(path),
                new MountAction.UnstageOrphan(path))) {
            succeeds(false, result(action, null, NOTHING));
            succeeds(false, result(action, null, UNREADABLE));
            succeeds(false, result(action, notFound, NOTHING));
            for (Path point : List.of(path, path.resolve("below"))) {
                fails("is still mounted", true, false, result(action, null, mounted(point)));
                assertThat(result(action, notFound, mounted(point)))
                        .isEqualTo(new NodeCallResult(notFound, true, false));
            }
            assertThat(result(action, notFound, UNREADABLE)).isEqualTo(new NodeCallResult(notFound, false, false));
            assertThat(result(action, internal, NOTHING)).isEqualTo(new NodeCallResult(internal, false, false));
        }
    }

    @Test
    void mountTableDecidesWhetherDirectUnmountSucceeded() {
        MountAction action = new MountAction.DirectUnmount(USE);
        succeeds(false, result(action, null, NOTHING));
        succeeds(false, result(action, internal, NOTHING));
        fails("the mount table cannot be read", false, false, result(action, null, UNREADABLE));
        fails("answered OK, and the path is still mounted", true, false, result(action, null, mounted(path)));
        assertThat(result(action, internal, mounted(path))).isEqualTo(new NodeCallResult(internal, true, false));
    }

    @Test
    void stageCountsWithoutMountUnlessThePathWasMountedBefore() {
        succeeds(true, result(STAGE, null, mounted(path)));
        succeeds(false, result(STAGE, null, NOTHING));
        succeeds(false, result(STAGE, null, UNREADABLE));
        assertThat(result(STAGE, internal, NOTHING)).isEqualTo(new NodeCallResult(internal, false, false));
        VolumeEntry before = entry(true);
        fails(
                "where something was before",
                false,
                true,
                NodeCallResult.of(before, STAGE, path, null, NOTHING, Set.of()));
        succeeds(true, NodeCallResult.of(before, STAGE, path, null, UNREADABLE, Set.of()));
        assertThat(NodeCallResult.of(before, STAGE, path, internal, NOTHING, Set.of()))
                .isEqualTo(new NodeCallResult(internal, false, false));
        succeeds(false, NodeCallResult.of(before.staged(null), STAGE, path, null, NOTHING, Set.of()));
    }

    @Test
    void publishCountsOnlyIfTheTargetItselfIsMounted() throws IOException {
        succeeds(true, result(PUBLISH, null, mounted(path)));
        fails("nothing is mounted at " + path, true, true, result(PUBLISH, null, mounted(path.resolve("below"))));
        fails("nothing is mounted at " + path, false, true, result(PUBLISH, null, NOTHING));
        fails("the mount table cannot be read", false, false, result(PUBLISH, null, UNREADABLE));
        assertThat(result(PUBLISH, internal, NOTHING)).isEqualTo(new NodeCallResult(internal, false, false));
        fails(
                "where something was before",
                false,
                true,
                NodeCallResult.of(entry(true), PUBLISH, path, null, NOTHING, Set.of()));
        Files.createFile(path);
        fails(
                "cannot be examined",
                false,
                true,
                NodeCallResult.of(entry(false), PUBLISH, path.resolve("below"), null, NOTHING, Set.of()));
    }

    @Test
    void publishWithoutMountCountsOnlyForThePluginThatIsNamedAndWithoutLink() throws IOException {
        Set<PluginId> named = Set.of(ID.pluginId());
        succeeds(false, NodeCallResult.of(entry(false), PUBLISH, path, null, NOTHING, named));
        succeeds(false, NodeCallResult.of(entry(false), PUBLISH, path, null, UNREADABLE, named));
        succeeds(true, NodeCallResult.of(entry(true), PUBLISH, path, null, UNREADABLE, named));
        fails(
                "nothing is mounted at",
                false,
                true,
                NodeCallResult.of(entry(false), PUBLISH, path, null, NOTHING, Set.of(PluginId.of("other"))));
        Files.createSymbolicLink(path, temporary);
        for (Set<PluginId> plugins : List.of(named, Set.<PluginId>of())) {
            fails(
                    "is a symbolic link",
                    false,
                    true,
                    NodeCallResult.of(entry(false), PUBLISH, path, null, NOTHING, plugins));
        }
    }

    @Test
    void publishedDeviceCountsWithoutMountOnlyIfTheTargetIsABlockDevice() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        String nothing = "nothing is mounted at " + path;
        fails(nothing, false, true, NodeCallResult.of(blockEntry(), PUBLISH, path, null, NOTHING, Set.of()));
        Files.createFile(path);
        fails(nothing, false, true, NodeCallResult.of(blockEntry(), PUBLISH, path, null, NOTHING, Set.of()));
        Files.delete(path);
        mknod("c", "1", "3");
        fails(nothing, false, true, NodeCallResult.of(blockEntry(), PUBLISH, path, null, NOTHING, Set.of()));
        Files.delete(path);
        mknod("b", "7", "0");
        succeeds(false, NodeCallResult.of(blockEntry(), PUBLISH, path, null, NOTHING, Set.of()));
        fails(nothing, false, true, NodeCallResult.of(entry(false), PUBLISH, path, null, NOTHING, Set.of()));
    }

    private void mknod(String... device) throws IOException {
        List<String> command = new ArrayList<>(List.of("mknod", path.toString()));
        command.addAll(List.of(device));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.onExit().join().exitValue()).isZero();
    }
}
