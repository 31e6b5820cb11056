package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.Leftover;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** A forgotten volume that two nodes have mounted. */
class LeftoversTest {
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("ext-v");
    private static final Leftover.Key KEY = new Leftover.Key(PLUGIN, EXTERNAL);

    private Cluster forgotten(Cluster cluster) {
        cluster.nodes("n1", "n2");
        cluster.ok(Cluster.register(
                "v",
                Cluster.spec(MULTI_NODE_MULTI_WRITER).externalVolumeId(EXTERNAL).build()));
        for (String node : List.of("n1", "n2")) {
            cluster.claim("on-" + node, node, "v", WRITE, MULTI_NODE_MULTI_WRITER);
            if (cluster.attachment("v", node).isPresent()) {
                cluster.ok(published("v", node));
            }
        }
        cluster.ended("on-n1", "n1");
        cluster.ended("on-n2", "n2");
        cluster.ok(new VolumeCommand.ForgetVolume(vol("v"), 0, "ann", "it is gone", AT));
        return cluster;
    }

    private static LeftoverCommand.RecordUnmounted unmounted(String node, String allocation) {
        return new LeftoverCommand.RecordUnmounted(KEY, NodeId.of(node), alloc(allocation), AT);
    }

    private static List<String> users(Cluster cluster) {
        return StreamSupport.stream(
                        cluster.state.leftover(KEY).orElseThrow().claims().spliterator(), false)
                .map(claim -> claim.allocationId().value())
                .toList();
    }

    @Test
    void reportOfANodeEndsItsOwnMountOnly() {
        Cluster cluster = forgotten(Cluster.attaching());
        cluster.unchanged(unmounted("n1", "on-n2"));
        cluster.unchanged(unmounted("n1", "another"));
        cluster.unchanged(new LeftoverCommand.RecordUnmounted(
                new Leftover.Key(PLUGIN, ExternalVolumeId.of("other")), NodeId.of("n1"), alloc("on-n1"), AT));
        assertThat(users(cluster)).containsExactly("on-n1", "on-n2");
        cluster.ok(unmounted("n1", "on-n1"));
        assertThat(users(cluster)).containsExactly("on-n2");
        cluster.unchanged(unmounted("n1", "on-n1"));
        cluster.ok(unmounted("n2", "on-n2"));
        assertThat(users(cluster)).as("the attachments are left").isEmpty();
    }

    @Test
    void leftoverWithoutAttachmentsIsRemovedWithItsLastMount() {
        Cluster cluster = forgotten(Cluster.withoutController());
        cluster.ok(unmounted("n1", "on-n1"));
        cluster.ok(unmounted("n2", "on-n2"));
        assertThat(cluster.state.leftovers()).isEmpty();
        cluster.unchanged(unmounted("n2", "on-n2"));
    }

    @Test
    void lostNodeEndsItsOwnMountOnly() {
        Cluster cluster = forgotten(Cluster.attaching());
        cluster.nodes("n3").ok(new NodeCommand.FenceNode(NodeId.of("n3"), "off", AT));
        assertThat(users(cluster)).containsExactly("on-n1", "on-n2");
        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n2"), "off", AT));
        assertThat(users(cluster)).containsExactly("on-n1");
        Cluster bare = forgotten(Cluster.withoutController());
        bare.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "off", AT));
        bare.ok(new NodeCommand.RemoveNode(NodeId.of("n2"), "", AT));
        assertThat(bare.state.leftovers()).isEmpty();
    }

    @Test
    void volumeLeavesNoMountOnALostNode() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2");
        cluster.ok(Cluster.register(
                "v",
                Cluster.spec(MULTI_NODE_MULTI_WRITER).externalVolumeId(EXTERNAL).build()));
        cluster.claim("on-n1", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.claim("on-n2", "n2", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.ended("on-n2", "n2");
        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "off", AT));
        cluster.ok(new VolumeCommand.ForgetVolume(vol("v"), 0, "ann", "it is gone", AT));
        assertThat(users(cluster)).containsExactly("on-n2");
        assertThat(cluster.state.leftover(KEY).orElseThrow().attachments()).hasSize(2);
    }

    @Test
    void volumeWithTheSameExternalIdTakesTheMountsAndAttachmentsOver() {
        Cluster cluster = forgotten(Cluster.attaching());
        Leftover leftover = cluster.state.leftover(KEY).orElseThrow();
        cluster.ok(Cluster.register(
                "other",
                Cluster.spec(MULTI_NODE_MULTI_WRITER)
                        .externalVolumeId(ExternalVolumeId.of("ext-other"))
                        .build()));
        assertThat(cluster.get("other").claims().isEmpty()).isTrue();
        var taken = cluster.ok(Cluster.register(
                "new",
                Cluster.spec(MULTI_NODE_MULTI_WRITER).externalVolumeId(EXTERNAL).build()));
        assertThat(cluster.get("new").claims()).isEqualTo(leftover.claims());
        assertThat(cluster.get("new").attachments()).isEqualTo(leftover.attachments());
        assertThat(Cluster.effects(taken, Effect.ClaimReleasable.class))
                .containsExactly(
                        new Effect.ClaimReleasable(vol("new"), alloc("on-n1")),
                        new Effect.ClaimReleasable(vol("new"), alloc("on-n2")));
        assertThat(cluster.state.leftovers()).isEmpty();
    }

    @Test
    void overrideIsAboutTheLeftoverThatTheOperatorHasSeen() {
        Cluster cluster = forgotten(Cluster.attaching());
        long index = cluster.state.leftover(KEY).orElseThrow().createIndex();
        assertThat(cluster.refused(
                                Rejection.InvalidRequest.class,
                                new LeftoverCommand.OverrideLeftover(KEY, index - 1, "ann", "clean", AT))
                        .message())
                .contains("ext-v", "default/v");
        LeftoverCommand.OverrideLeftover override =
                new LeftoverCommand.OverrideLeftover(KEY, index, "ann", "clean", AT);
        cluster.ok(override);
        assertThat(cluster.state.leftovers()).isEmpty();
        cluster.unchanged(override);
    }
}
