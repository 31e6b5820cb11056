package io.csi4j.simulation.internal.world;

import static io.csi4j.simulation.internal.world.PlacedWorld.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.AttachmentMode;
import org.junit.jupiter.api.Test;

/** The targets of a mount on a simulated node. */
class SimNodeTest {
    private static final SimNode.Mount MOUNT = new SimNode.Mount(key("v"), AllocationId.of("a"));

    private final SimNode node = new SimNode(NodeId.of("n1"));

    @Test
    void mountEndsWithItsLastTarget() {
        node.publish(MOUNT, AttachmentMode.MOUNT, "/publish/a");
        assertThat(node.hasTargets(MOUNT, 1)).isTrue();
        assertThat(node.hasTargets(MOUNT, 2)).isFalse();
        node.publish(MOUNT, AttachmentMode.MOUNT, "/publish/a~1");
        assertThat(node.hasTargets(MOUNT, 2)).isTrue();
        node.unpublish(MOUNT, "/publish/a");
        assertThat(node.mounts()).containsExactly(MOUNT);
        assertThat(node.targets(MOUNT)).containsExactly("/publish/a~1");
        node.unpublish(MOUNT, "/publish/a~1");
        assertThat(node.mounts()).isEmpty();
        assertThat(node.hasTargets(MOUNT, 1)).isFalse();
    }

    @Test
    void modelOfAgentHasAllTargetsAtOnce() {
        node.mount(MOUNT, AttachmentMode.MOUNT);
        assertThat(node.hasTargets(MOUNT, 2)).isTrue();
    }
}
