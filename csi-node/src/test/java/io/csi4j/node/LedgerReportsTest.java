package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of records that an earlier process left, while their plugin is not there, so that they stay as they are. */
class LedgerReportsTest {
    @TempDir
    Path base;

    private Bench bench;

    @BeforeEach
    void leaveRecords() throws IOException {
        bench = new Bench(base, 1, true);
        bench.crash();
        bench.node.there = false;
        try (FileLedger ledger = FileLedger.open(base.toRealPath().resolve("ledger"), false)) {
            ledger.save(entry(
                    "w",
                    use("b", 0, UsePhase.LEAVING, false),
                    use("a", 1, UsePhase.PUBLISHED, true),
                    use("a", 0, UsePhase.PUBLISHED, true)));
            ledger.save(entry(
                    "v",
                    use("b", 0, UsePhase.PUBLISHED, false),
                    use("b", 1, UsePhase.PUBLISHED, true),
                    use("c", 0, UsePhase.LEAVING, true),
                    use("c", 1, UsePhase.WANTED, true)));
            for (String staged : List.of("k", "c", "x", "h", "q")) {
                ledger.save(entry(staged).staged(new StagingEntry(terms(false), StagingPhase.STAGED, "boot-1", true)));
            }
            ledger.save(new VolumeEntry(
                    VolumeKey.of("ns", "nameless"),
                    null,
                    null,
                    List.of(use("a", 0, UsePhase.LEAVING, false)),
                    false,
                    0));
            ledger.save(new VolumeEntry(
                    VolumeKey.of("ns", "lost"),
                    Bench.id("lost"),
                    null,
                    List.of(use("a", 0, UsePhase.PUBLISHED, false)),
                    true,
                    0));
        }
        bench.node.mounts.add(Path.of(bench.target("lost", "stray")));
        bench.open();
    }

    private static MountTerms terms(boolean readonly) {
        return new MountTerms(
                Bench.MANY,
                MountOptions.none(),
                readonly,
                PublishContext.empty(),
                VolumeContext.empty(),
                Optional.empty());
    }

    private static UseEntry use(String allocation, int number, UsePhase phase, boolean readonly) {
        return new UseEntry(new UseId(AllocationId.of(allocation), number), terms(readonly), phase, "boot-1", false);
    }

    private static VolumeEntry entry(String volume, UseEntry... uses) {
        return new VolumeEntry(VolumeKey.of("ns", volume), Bench.id(volume), null, List.of(uses), false, 0);
    }

    @Test
    void reportHasOneUseForEachAllocationInOrderAndTheVolumesOfUnknownOwners() {
        LedgerReport report = bench.done(bench.volumes.ledger());
        assertThat(report.uses())
                .extracting(
                        use -> use.volume().volumeId().value(),
                        use -> use.allocationId().value(),
                        VolumeUse::mode,
                        VolumeUse::leaving)
                .containsExactly(
                        tuple("lost", "a", ClaimMode.WRITE, false),
                        tuple("v", "b", ClaimMode.WRITE, false),
                        tuple("v", "c", ClaimMode.READ, false),
                        tuple("w", "a", ClaimMode.READ, false),
                        tuple("w", "b", ClaimMode.WRITE, true));
        assertThat(report.uses()).allMatch(use -> use.capability().equals(Bench.MANY));
        assertThat(report.unclear())
                .extracting(key -> key.volumeId().value())
                .containsExactly("c", "h", "k", "lost", "nameless", "q", "x");
    }

    @Test
    void usesOfOneVolumeAreFoundByItsKeyOrItsExternalId() {
        assertThat(bench.done(bench.volumes.uses(Bench.id("w")))).hasSize(2);
        assertThat(bench.done(bench.volumes.uses(Bench.id("unused")))).isEmpty();
        VolumeKey other = VolumeKey.of("ns", "other");
        PluginId p = PluginId.of("p");
        ExternalVolumeId ext = ExternalVolumeId.of("ext-w");
        assertThat(bench.done(bench.volumes.uses(new NodeVolumeId(other, p, ext))))
                .extracting(VolumeUse::volume)
                .containsOnly(VolumeKey.of("ns", "w"));
        assertThat(bench.done(bench.volumes.uses(new NodeVolumeId(other, PluginId.of("q"), ext))))
                .isEmpty();
        assertThat(bench.failed(bench.volumes.uses(Bench.id("lost"))))
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("may be mounted for an allocation that the ledger does not name");
    }

    @Test
    void viewsListVolumesByPluginAndAllocation() {
        assertThat(bench.volumes.volumes())
                .extracting(status -> status.volume().volumeId().value())
                .containsExactly("c", "h", "k", "lost", "q", "v", "w", "x");
        assertThat(bench.volumes.volumesOf(PluginId.of("p")))
                .extracting(key -> key.volumeId().value())
                .containsExactly("c", "h", "k", "lost", "q", "v", "w", "x");
        assertThat(bench.volumes.volumesOf(PluginId.of("q"))).isEmpty();
        assertThat(bench.volumes.volumesFor(AllocationId.of("b")))
                .extracting(id -> id.volume().volumeId().value())
                .containsExactlyInAnyOrder("v", "w");
        assertThat(bench.volumes.status(VolumeKey.of("ns", "v"))).isPresent();
        assertThat(bench.volumes.status(VolumeKey.of("ns", "unused"))).isEmpty();
    }
}
