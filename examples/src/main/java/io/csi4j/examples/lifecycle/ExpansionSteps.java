package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Doubles the size of a volume: online while it is published, or offline after it has left the node (R82). A plugin that
 * supports expansion but reports neither mode counts as offline.
 */
final class ExpansionSteps {
    private final Session session;
    private final DataChecks data;

    ExpansionSteps(Session session, DataChecks data) {
        this.session = session;
        this.data = data;
    }

    private boolean controllerExpands() {
        return session.capabilities().has(ControllerCapability.EXPAND_VOLUME);
    }

    private boolean nodeExpands() {
        return session.capabilities().has(NodeCapability.EXPAND_VOLUME);
    }

    private boolean online() {
        return session.capabilities().expansion().has(VolumeExpansion.ONLINE);
    }

    /** Expands the volume while it is published, if the plugin supports this. */
    CreatedVolume whilePublished(NodeSteps node, Path target, Optional<TestContent> content) {
        if (!controllerExpands() && !nodeExpands()) {
            session.skip("expand", "no EXPAND_VOLUME, neither at the controller nor at the node");
        } else if (!online() && controllerExpands()) {
            session.skip("expand online", "not offered; done later, when the volume is off the node (R82)");
        } else if (!online()) {
            session.skip("expand", "EXPAND_VOLUME at the node alone needs ONLINE expansion (R42)");
        } else {
            return expand(node, () -> target, content);
        }
        return node.volume();
    }

    /** Expands the volume while it is not on the node, if the plugin supports only this. */
    CreatedVolume whileOffNode(CreatedVolume volume, Optional<TestContent> content) {
        if (!controllerExpands() || online()) {
            return volume;
        }
        NodeSteps node = new NodeSteps(session, volume, "grown");
        return expand(
                node,
                () -> {
                    node.attach();
                    node.stage();
                    Path target = node.publish(
                            "target", session.options().accessMode().readerOnly());
                    data.checkMount(target);
                    return target;
                },
                content);
    }

    /** Returns the target of the published volume, and publishes it first if necessary. */
    private interface PublishedVolume {
        Path target();
    }

    private CreatedVolume expand(NodeSteps node, PublishedVolume published, Optional<TestContent> content) {
        CreatedVolume volume = node.volume();
        long oldBytes = volume.capacityBytes() == 0 ? session.options().size() : volume.capacityBytes();
        CapacityRange range = CapacityRange.atLeast(Math.multiplyExact(oldBytes, 2L));
        long[] newBytes = {volume.capacityBytes()};
        session.optional(() -> {
            boolean nodeExpansionNeeded = !controllerExpands() || expandAtController(volume, range, newBytes);
            Path target = published.target();
            if (nodeExpansionNeeded) {
                expandOnNode(node, target, range, newBytes);
            }
            checkDevice(target, range);
            data.verify("check the data after expansion", content, target);
        });
        return volume.withCapacity(newBytes[0]);
    }

    /** Expands at the controller; returns whether the node must expand as well (R83). */
    private boolean expandAtController(CreatedVolume volume, CapacityRange range, long[] newBytes) {
        ControllerExpandVolumeRequest request = ControllerExpandVolumeRequest.builder(volume.id(), range)
                .volumeCapability(session.options().capability())
                .secrets(session.options().secrets())
                .build();
        ControllerExpandVolumeResponse answer = session.steps()
                .call(
                        Rpc.CONTROLLER_EXPAND_VOLUME,
                        () -> session.plugin().controller().controllerExpandVolume(request),
                        done -> "to " + Quantities.text(done.capacityBytes())
                                + (done.nodeExpansionRequired() ? ", the node must expand too" : ""));
        newBytes[0] = answer.capacityBytes();
        if (answer.capacityBytes() < range.requiredBytes()) {
            session.steps().local("check the new size", () -> {
                throw new IOException("requested at least " + range.requiredBytes() + " bytes, and the plugin answered "
                        + answer.capacityBytes());
            });
        }
        if (!answer.nodeExpansionRequired()) {
            session.skip(
                    Rpc.NODE_EXPAND_VOLUME.csiName(), "the controller reports that the node need not expand (R83)");
        } else if (!nodeExpands()) {
            session.steps().local("expand on the node", () -> {
                throw new IOException("the controller asks for NodeExpandVolume, which the node does not offer (R83)");
            });
        }
        return answer.nodeExpansionRequired();
    }

    /**
     * Expands on the node, after NodeStage and NodePublish (R94). Repeats the range, because some plugins need it.
     */
    private void expandOnNode(NodeSteps node, Path target, CapacityRange range, long[] newBytes) {
        NodeExpandVolumeRequest.Builder request = NodeExpandVolumeRequest.builder(
                        node.volume().id(), target.toString())
                .capacityRange(range)
                .volumeCapability(session.options().capability())
                .secrets(session.options().secrets());
        node.stagingPath().ifPresent(staging -> request.stagingTargetPath(staging.toString()));
        long capacity = session.steps()
                .call(
                        Rpc.NODE_EXPAND_VOLUME,
                        () -> session.plugin().node().nodeExpandVolume(request.build()),
                        done -> done.capacityBytes() == 0
                                ? "size not given"
                                : "to " + Quantities.text(done.capacityBytes()))
                .capacityBytes();
        newBytes[0] = Math.max(newBytes[0], capacity);
    }

    private void checkDevice(Path target, CapacityRange range) {
        if (!session.options().capability().isBlock()) {
            return;
        }
        long[] size = new long[1];
        session.steps().local("size of the device", () -> {
            size[0] = TestContent.deviceSize(target);
            return Quantities.text(size[0]);
        });
        if (size[0] < range.requiredBytes()) {
            session.warn("compare", "the device has not grown, although the plugin says that the volume has");
        }
    }
}
