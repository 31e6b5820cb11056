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
 * Makes a volume twice as large. Online that may happen while it is published; offline only after it was
 * taken from the node (R82). A plugin that can expand and does not say when is treated as offline.
 */
final class Growth {
    private final Session session;
    private final Data data;

    Growth(Session session, Data data) {
        this.session = session;
        this.data = data;
    }

    private boolean atController() {
        return session.facts().has(ControllerCapability.EXPAND_VOLUME);
    }

    private boolean atNode() {
        return session.facts().has(NodeCapability.EXPAND_VOLUME);
    }

    private boolean online() {
        return session.facts().expansion().has(VolumeExpansion.ONLINE);
    }

    /** While it is published, if the plugin can do that. */
    CreatedVolume whilePublished(OnNode node, Path target, Optional<Content> content) {
        if (!atController() && !atNode()) {
            session.skip("expand", "no EXPAND_VOLUME, neither at the controller nor at the node");
        } else if (!online() && atController()) {
            session.skip("expand online", "not offered; it follows when the volume is off the node (R82)");
        } else if (!online()) {
            session.skip("expand", "EXPAND_VOLUME at the node alone needs ONLINE expansion (R42)");
        } else {
            return grow(node, () -> target, content);
        }
        return node.volume();
    }

    /** While it is not on the node, if that is the only time at which the plugin can do it. */
    CreatedVolume whileOffNode(CreatedVolume volume, Optional<Content> content) {
        if (!atController() || online()) {
            return volume;
        }
        OnNode node = new OnNode(session, volume, "grown");
        return grow(
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

    /** Where the volume is published; does it first if need be. */
    private interface Published {
        Path target();
    }

    private CreatedVolume grow(OnNode node, Published published, Optional<Content> content) {
        CreatedVolume volume = node.volume();
        long before = volume.capacityBytes() == 0 ? session.options().size() : volume.capacityBytes();
        CapacityRange range = CapacityRange.atLeast(Math.multiplyExact(before, 2L));
        long[] after = {volume.capacityBytes()};
        session.extra(() -> {
            boolean nodeToo = !atController() || expandAtController(volume, range, after);
            Path target = published.target();
            if (nodeToo) {
                expandOnNode(node, target, range, after);
            }
            checkDevice(target, range);
            data.verify("check the data after expansion", content, target);
        });
        return volume.withCapacity(after[0]);
    }

    /** Whether the node has to follow (R83). */
    private boolean expandAtController(CreatedVolume volume, CapacityRange range, long[] after) {
        ControllerExpandVolumeRequest request = ControllerExpandVolumeRequest.builder(volume.id(), range)
                .volumeCapability(session.options().capability())
                .secrets(session.options().secrets())
                .build();
        ControllerExpandVolumeResponse answer = session.walk()
                .call(
                        Rpc.CONTROLLER_EXPAND_VOLUME,
                        () -> session.plugin().controller().controllerExpandVolume(request),
                        done -> "to " + Quantity.text(done.capacityBytes())
                                + (done.nodeExpansionRequired() ? ", the node has to follow" : ""));
        after[0] = answer.capacityBytes();
        if (answer.capacityBytes() < range.requiredBytes()) {
            session.walk().local("check the new size", () -> {
                throw new IOException("asked for at least " + range.requiredBytes() + " bytes, and the plugin answered "
                        + answer.capacityBytes());
            });
        }
        if (!answer.nodeExpansionRequired()) {
            session.skip(Rpc.NODE_EXPAND_VOLUME.csiName(), "the controller says that the node need not follow (R83)");
        } else if (!atNode()) {
            session.walk().local("expand on the node", () -> {
                throw new IOException("the controller asks for NodeExpandVolume, which the node does not offer (R83)");
            });
        }
        return answer.nodeExpansionRequired();
    }

    /** After NodeStage and NodePublish (R94); the range again, for some plugins want it. */
    private void expandOnNode(OnNode node, Path target, CapacityRange range, long[] after) {
        NodeExpandVolumeRequest.Builder request = NodeExpandVolumeRequest.builder(
                        node.volume().id(), target.toString())
                .capacityRange(range)
                .volumeCapability(session.options().capability())
                .secrets(session.options().secrets());
        node.stagingPath().ifPresent(staging -> request.stagingTargetPath(staging.toString()));
        long capacity = session.walk()
                .call(
                        Rpc.NODE_EXPAND_VOLUME,
                        () -> session.plugin().node().nodeExpandVolume(request.build()),
                        done -> done.capacityBytes() == 0
                                ? "size not given"
                                : "to " + Quantity.text(done.capacityBytes()))
                .capacityBytes();
        after[0] = Math.max(after[0], capacity);
    }

    private void checkDevice(Path target, CapacityRange range) {
        if (!session.options().capability().isBlock()) {
            return;
        }
        long[] size = new long[1];
        session.walk().local("size of the device", () -> {
            size[0] = Content.deviceSize(target);
            return Quantity.text(size[0]);
        });
        if (size[0] < range.requiredBytes()) {
            session.warn("compare", "the device has not grown, although the plugin says that the volume has");
        }
    }
}
