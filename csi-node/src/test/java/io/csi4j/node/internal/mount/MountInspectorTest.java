package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.node.Bench;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountInspectorTest {
    private static final NodeVolumeId ID = Bench.id("v");
    private static final UseId A = UseId.first(AllocationId.of("a"));
    private static final UseId B = UseId.first(AllocationId.of("b"));
    private static final StagingEntry STAGING =
            new StagingEntry(MountTerms.UNKNOWN, StagingPhase.STAGED, "boot-1", true);

    @TempDir
    Path temporary;

    private final VirtualTime time = VirtualTime.inOrder();
    private final List<Path> mounted = new ArrayList<>();
    private boolean tableFails;
    private Optional<NodePlugin> plugin = Optional.empty();
    private NodePaths paths;
    private MountInspector inspector;

    @BeforeEach
    void create() throws IOException {
        paths = new NodePaths(temporary.toRealPath());
        MountTable table = new MountTable() {
            @Override
            public MountPoints read() throws IOException {
                if (tableFails) {
                    throw new IOException("it cannot be read");
                }
                return MountPoints.of(mounted);
            }

            @Override
            public Optional<String> bootId() {
                return Optional.of("boot-1");
            }
        };
        inspector = new MountInspector(paths, id -> plugin, table, time, new HostCallbacks(time, time));
    }

    private static VolumeEntry entry(boolean rebuilt, StagingEntry staging, UseId... uses) {
        List<UseEntry> entries = new ArrayList<>();
        for (UseId use : uses) {
            entries.add(new UseEntry(use, MountTerms.UNKNOWN, UsePhase.PUBLISHED, "boot-1", true));
        }
        return new VolumeEntry(ID.volume(), ID, staging, entries, rebuilt, 0);
    }

    private MountFacts facts(VolumeEntry entry) {
        return inspector.facts(entry, Set.of(), Set.of(), inspector.table());
    }

    private Path target(UseId use) {
        return paths.target(ID.volume(), use);
    }

    private Path staging() {
        return paths.staging(ID.volume(), MountTerms.UNKNOWN);
    }

    @Test
    void presenceOfEachRecordedPathIsThatOfTheTable() {
        VolumeEntry entry = entry(false, STAGING, A, B);
        assertThat(facts(entry).targets()).isEqualTo(Map.of(A, Presence.ABSENT, B, Presence.ABSENT));
        assertThat(facts(entry).staging()).isEqualTo(Presence.ABSENT);
        mounted.add(target(A).resolve("below"));
        mounted.add(staging());
        assertThat(facts(entry).targets()).isEqualTo(Map.of(A, Presence.MOUNTED, B, Presence.ABSENT));
        assertThat(facts(entry).staging()).isEqualTo(Presence.MOUNTED);
        tableFails = true;
        assertThat(facts(entry).targets()).isEqualTo(Map.of(A, Presence.UNKNOWN, B, Presence.UNKNOWN));
        assertThat(facts(entry).staging()).isEqualTo(Presence.UNKNOWN);
        assertThat(facts(entry(false, null, A)).staging()).isEqualTo(Presence.ABSENT);
    }

    @Test
    void pluginIsFoundByTheIdOfTheVolumeOnly() {
        VolumeEntry entry = entry(false, null);
        assertThat(facts(entry).plugin()).isEqualTo(PluginFact.ABSENT);
        assertThat(facts(entry).machine()).isEmpty();
        NodeService service = (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(), new Class<?>[] {NodeService.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("unexpected call");
                });
        ExternalNodeId here = ExternalNodeId.of("here");
        plugin = Optional.of(NodePlugin.of(service, CapabilitySet.of(NodeCapability.class, List.of()))
                .on(here));
        assertThat(facts(entry).plugin()).isEqualTo(PluginFact.DIRECT);
        assertThat(facts(entry).machine()).contains(here);
        assertThat(facts(VolumeEntry.empty(ID.volume(), true)).plugin()).isEqualTo(PluginFact.ABSENT);
        plugin = Optional.of(NodePlugin.of(
                service, CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME))));
        assertThat(facts(entry).plugin()).isEqualTo(PluginFact.STAGES);
    }

    @Test
    void mountWithoutRecordIsOrphan() {
        Path orphan = target(UseId.first(AllocationId.of("stray")));
        Path orphanedStaging = paths.stagings(ID.volume()).resolve("mount-7");
        mounted.addAll(List.of(target(A), orphan.resolve("below"), staging(), orphanedStaging));
        MountFacts facts = facts(entry(false, STAGING, A));
        assertThat(facts.orphanedTargets()).containsExactly(orphan);
        assertThat(facts.orphanedStagings()).containsExactly(orphanedStaging);
        assertThat(facts(entry(false, null)).orphanedTargets()).containsExactlyInAnyOrder(target(A), orphan);
        assertThat(facts(entry(false, null)).orphanedStagings()).containsExactlyInAnyOrder(staging(), orphanedStaging);
        // A mount at the directory of the volume itself is none of its targets.
        mounted.clear();
        mounted.add(paths.targets(ID.volume()));
        assertThat(facts(entry(false, null)).orphanedTargets()).isEmpty();
    }

    @Test
    void pathThatWasUnmountedIsOrphanOnlyIfItIsMountedAgain() throws IOException {
        Path device = target(B);
        Files.createDirectories(device.getParent());
        Files.createFile(device);
        VolumeEntry lost = entry(true, null);
        assertThat(facts(lost).orphanedTargets()).containsExactly(device);
        assertThat(inspector
                        .facts(lost, Set.of(), Set.of(device), inspector.table())
                        .orphanedTargets())
                .isEmpty();
        mounted.add(device);
        assertThat(inspector
                        .facts(lost, Set.of(), Set.of(device), inspector.table())
                        .orphanedTargets())
                .containsExactly(device);
    }

    @Test
    void filesAndStagingsOfLostRecordAreOrphans() throws IOException {
        Files.createDirectories(target(A));
        Files.createFile(target(B));
        Files.createDirectories(staging());
        assertThat(facts(entry(false, null)).orphanedTargets()).isEmpty();
        assertThat(facts(entry(false, null)).orphanedStagings()).isEmpty();
        assertThat(facts(entry(true, null)).orphanedTargets()).containsExactly(target(B));
        assertThat(facts(entry(true, null, B)).orphanedTargets()).isEmpty();
        assertThat(facts(entry(true, null)).orphanedStagings()).containsExactly(staging());
        assertThat(facts(entry(true, STAGING)).orphanedStagings()).isEmpty();
        // The staging path that a requested use needs is staged with the same parameters.
        assertThat(facts(entry(true, null, A)).orphanedStagings()).isEmpty();
    }

    @Test
    void directoryThatCannotBeListedIsNoEmptyDirectory() throws IOException {
        assertThat(MountInspector.leaves(temporary.resolve("missing"))).isEmpty();
        Path file = Files.createFile(temporary.toRealPath().resolve("file"));
        assertThat(MountInspector.leaves(file)).isEmpty();
        Path link = Files.createSymbolicLink(temporary.toRealPath().resolve("link"), file);
        assertThatThrownBy(() -> MountInspector.leaves(link))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("cannot read " + link)
                .hasMessageContaining("check the base directory");
    }

    @Test
    void somethingIsThereIfTheTableIsUnreadableOrHasOrphan() throws IOException {
        VolumeEntry entry = VolumeEntry.empty(ID.volume(), false);
        assertThat(inspector.somethingIsThere(entry, inspector.moment())).isFalse();
        tableFails = true;
        assertThat(inspector.somethingIsThere(entry, inspector.moment())).isTrue();
        tableFails = false;
        for (Path path : List.of(target(A), staging())) {
            mounted.add(path);
            assertThat(inspector.somethingIsThere(entry, inspector.moment())).isTrue();
            mounted.clear();
        }
        Files.createDirectories(staging());
        assertThat(inspector.somethingIsThere(entry, inspector.moment())).isTrue();
    }

    @Test
    void brokenStagingIsRememberedUntilItAnswersOrIsReplaced() {
        VolumeEntry entry = entry(false, STAGING, A);
        assertThat(facts(entry).stagingBroken()).isFalse();
        inspector.stagingBroken(staging());
        assertThat(facts(entry).stagingBroken()).isTrue();
        assertThat(facts(entry(false, null, A)).stagingBroken()).isFalse();
        assertThat(inspector.stagingSound(target(A))).isFalse();
        assertThat(inspector.stagingSound(staging())).isTrue();
        assertThat(facts(entry).stagingBroken()).isFalse();
        assertThat(inspector.stagingSound(staging())).isFalse();
        inspector.stagingBroken(staging());
        inspector.replaced(staging());
        assertThat(facts(entry).stagingBroken()).isFalse();
    }

    @Test
    void bootIsThatOfTheTable() {
        assertThat(inspector.bootId()).isEqualTo("boot-1");
        assertThat(inspector.otherBoot("boot-0")).isTrue();
        assertThat(inspector.otherBoot("boot-1")).isFalse();
        assertThat(inspector.unlooked().bootId()).isEqualTo("boot-1");
        assertThat(inspector.unlooked().target(A)).isEqualTo(Presence.UNKNOWN);
    }
}
