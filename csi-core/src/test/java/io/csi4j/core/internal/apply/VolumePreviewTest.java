package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.free;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class VolumePreviewTest {
    private static final NodeId N1 = NodeId.of("n1");

    private static Cluster releasing() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.ended("a", "n1");
        return cluster;
    }

    @Test
    void previewEqualsStateAfterEachReleaseCommand() {
        Cluster cluster = releasing();
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        // All previews start from the state before the first command.
        for (Command step : List.of(
                checkpoint("v", "a", ClaimState.NODE_DETACHED),
                new AttachmentCommand.RecordUnpublishing(vol("v"), N1, AT),
                new AttachmentCommand.RemoveAttachment(vol("v"), N1, AT),
                checkpoint("v", "a", ClaimState.READY_TO_FREE),
                free("v", "a"))) {
            Volume before = cluster.get("v");
            assertThat(preview.apply(step)).as("%s", step).isTrue();
            assertThat(cluster.get("v")).as("the preview changes no row").isEqualTo(before);
            cluster.ok(step);
            Volume after = cluster.get("v");
            assertThat(preview.volume().orElseThrow().claims()).isEqualTo(after.claims());
            assertThat(preview.volume().orElseThrow().attachments()).isEqualTo(after.attachments());
        }
        assertThat(preview.volume().orElseThrow().unsettled()).isFalse();
    }

    @Test
    void rejectedCommandLeavesPreviewUnchanged() {
        Cluster cluster = releasing();
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(preview.apply(new AttachmentCommand.RemoveAttachment(vol("v"), N1, AT)))
                .isFalse();
        assertThat(preview.apply(checkpoint("v", "a", ClaimState.READY_TO_FREE)))
                .isFalse();
        assertThat(preview.volume()).contains(cluster.get("v"));
    }

    @Test
    void rejectedBatchLeavesPreviewUnchangedAlthoughItsFirstCommandIsPossible() {
        Cluster cluster = releasing();
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(preview.apply(new Batch(
                        List.of(
                                checkpoint("v", "a", ClaimState.NODE_DETACHED),
                                checkpoint("v", "a", ClaimState.READY_TO_FREE)),
                        AT)))
                .isFalse();
        assertThat(preview.volume()).contains(cluster.get("v"));
    }

    @Test
    void previewIsEmptyAfterDeregistration() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(preview.apply(new VolumeCommand.DeregisterVolume(vol("v"), false, AT)))
                .isTrue();
        assertThat(preview.volume()).isEmpty();
        assertThat(cluster.state.volume(vol("v"))).isPresent();
    }

    /** A state with something to answer for each query. */
    private static NaiveState various() {
        Cluster cluster = releasing();
        VolumeContentSource source = VolumeContentSource.volume(ExternalVolumeId.of("v"));
        VolumeSpec created = Cluster.spec(SINGLE_NODE_WRITER)
                .name("disk")
                .contentSource(source)
                .build();
        cluster.ok(
                new VolumeCommand.RegisterVolume(vol("made"), created, VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        PluginInstance silent = PluginInstance.builder(Cluster.key("n1", PluginType.NODE), AT)
                .health(false, "")
                .proved(false)
                .build();
        cluster.fingerprint("n1", cluster.instance("n1").build(), silent);
        cluster.ok(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(
                        DeploymentId.of("default", "job"), Map.of(Cluster.PLUGIN, new ExpectedInstances(1, 1))),
                AT));
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT.plusSeconds(1)));
        return cluster.state;
    }

    @Test
    void previewReadsAllOtherRowsFromItsState() {
        NaiveState state = various();
        OneVolumePreview preview =
                new OneVolumePreview(state, state.volume(vol("v")).orElseThrow());
        NaiveState empty = new NaiveState();
        PluginId plugin = Cluster.PLUGIN;
        List<Function<StateReader, Object>> queries = List.of(
                StateReader::index,
                all -> all.volumes(VolumeQuery.all()).items(),
                all -> all.volume(vol("made")),
                all -> all.volumeByExternalId(plugin, ExternalVolumeId.of("v")),
                all -> all.volumesNamed(plugin, "disk"),
                all -> all.creationsFrom(plugin, VolumeContentSource.volume(ExternalVolumeId.of("v"))),
                all -> all.volumesOf(plugin),
                all -> all.volumesOn(N1),
                all -> all.volumesOn(N1, plugin),
                all -> all.volumesClaimedBy(Cluster.alloc("a")),
                StateReader::unsettledVolumes,
                all -> all.row(RowType.NODES, N1),
                all -> all.rows(RowType.ALLOCATIONS),
                StateReader::unsettledNodes,
                all -> all.allocationsOn(N1),
                all -> all.instancesOn(N1),
                all -> all.instancesOn(N1, plugin),
                all -> all.instancesOf(plugin),
                all -> all.instancesOf(plugin, PluginType.MONOLITH),
                all -> all.unprovedOf(plugin),
                all -> all.deploymentsOf(plugin),
                all -> all.plugin(plugin).instances());
        for (int i = 0; i < queries.size(); i++) {
            Object answer = queries.get(i).apply(preview);
            assertThat(answer)
                    .as("query %s", i)
                    .isEqualTo(queries.get(i).apply(state))
                    .isNotEqualTo(queries.get(i).apply(empty));
        }
    }

    @Test
    void writesToOtherRowsAreIgnored() {
        NaiveState state = various();
        NaiveState before = state.copy();
        Volume volume = state.volume(vol("v")).orElseThrow();
        OneVolumePreview preview = new OneVolumePreview(state, volume);
        preview.putVolume(state.volume(vol("made")).orElseThrow());
        assertThat(preview.volume()).contains(volume);
        preview.removeVolume(vol("made"));
        assertThat(preview.volume()).contains(volume);
        preview.removeNode(N1);
        preview.putAllocation(new Allocation(
                Cluster.alloc("z"), Namespace.of("default"), N1, Optional.empty(), AllocationStatus.RUNNING, 1));
        assertThat(preview.node(N1)).isPresent();
        assertThat(preview.allocation(Cluster.alloc("z"))).isEmpty();
        assertThat(state.sameRows(before)).isTrue();
    }
}
