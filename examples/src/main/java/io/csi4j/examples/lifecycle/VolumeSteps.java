package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.examples.steps.UndoStep;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates volumes and checks the plugin's answers. */
final class VolumeSteps {
    /** The longest suffix that this program adds to the volume's name. */
    static final String LONGEST_SUFFIX = "-snapshot-2";

    private final Session session;

    VolumeSteps(Session session) {
        this.session = session;
    }

    boolean offered() {
        return session.capabilities().has(ControllerCapability.CREATE_DELETE_VOLUME);
    }

    /** Creates a volume; the undo deletes it. */
    CreatedVolume create(String name, long bytes, @Nullable VolumeContentSource source) {
        return create(name, bytes, source, false);
    }

    /**
     * Creates a volume.
     *
     * @param keep whether the undo keeps the volume
     */
    CreatedVolume create(String name, long bytes, @Nullable VolumeContentSource source, boolean keep) {
        CreateVolumeRequest request = request(name, bytes, source);
        ExternalVolume volume = session.steps()
                .create(
                        Rpc.CREATE_VOLUME,
                        () -> session.plugin().controller().createVolume(request),
                        answer -> name + ": " + text(answer.volume()),
                        answer -> keep ? keepVolume(answer.volume(), name) : delete(answer.volume(), name))
                .volume();
        check(volume, bytes, source);
        return CreatedVolume.from(volume);
    }

    private CreateVolumeRequest request(String name, long bytes, @Nullable VolumeContentSource source) {
        CreateVolumeRequest.Builder request = CreateVolumeRequest.builder(
                        name, List.of(session.options().capability()))
                .parameters(session.options().parameters())
                .secrets(session.options().secrets());
        if (bytes > 0) {
            request.capacityRange(CapacityRange.atLeast(bytes));
        }
        if (source != null) {
            request.volumeContentSource(source);
        }
        session.capabilities()
                .requestedTopology()
                .ifPresent(topology -> request.accessibilityRequirements(
                        new TopologyRequirement(List.of(topology), List.of(topology))));
        return request.build();
    }

    private UndoStep delete(ExternalVolume volume, String name) {
        DeleteVolumeRequest request = DeleteVolumeRequest.builder(volume.volumeId())
                .secrets(session.options().secrets())
                .build();
        return UndoStep.call(
                Rpc.DELETE_VOLUME,
                CreatedVolume.from(volume).subject(),
                () -> session.plugin().controller().deleteVolume(request),
                "the volume " + volume.volumeId() + " (name " + name + "); once it is used nowhere, delete it at the"
                        + " storage provider");
    }

    /** Keeps the volume, and prints how to use it again: the same name finds the same volume (R51). */
    private UndoStep keepVolume(ExternalVolume volume, String name) {
        String text = "volume " + volume.volumeId() + " (name " + name
                + "). To use it again and delete it at"
                + " the end, repeat the same command with --volume-name " + name + " and without --keep."
                + " To use it as it is: --volume-id " + volume.volumeId()
                + (volume.volumeContext().isEmpty() ? "" : ", and its volume context with --volume-context") + ".";
        return UndoStep.local(
                "keep",
                CreatedVolume.from(volume).subject(),
                () -> session.log().print("Kept: " + text),
                text);
    }

    private void check(ExternalVolume volume, long bytes, @Nullable VolumeContentSource source) {
        session.steps().local("check the new volume", () -> {
            if (volume.capacityBytes() != 0 && volume.capacityBytes() < bytes) {
                throw new IOException("requested at least " + bytes + " bytes, and the plugin answered "
                        + volume.capacityBytes() + " (R55)");
            }
            if (source != null && !volume.contentSource().equals(Optional.of(source))) {
                throw new IOException("made from " + source + ", but the answer names "
                        + volume.contentSource().map(Object::toString).orElse("no source")
                        + "; Kubernetes deletes such a volume (R57)");
            }
            if (!reachable(volume)) {
                throw new IOException("the volume is accessible from " + volume.accessibleTopology()
                        + " only, and this node is elsewhere (R42)");
            }
            return volume.capacityBytes() == 0 ? "size unknown" : "size, source and topology are as requested";
        });
    }

    /** Whether the volume is reachable from everywhere, or from a topology whose segments this node has. */
    private boolean reachable(ExternalVolume volume) {
        Optional<Topology> topology = session.capabilities().requestedTopology();
        return volume.accessibleTopology().isEmpty()
                || topology.isEmpty()
                || volume.accessibleTopology().stream()
                        .anyMatch(accessible -> topology.get()
                                .segments()
                                .entrySet()
                                .containsAll(accessible.segments().entrySet()));
    }

    private static String text(ExternalVolume volume) {
        String size = volume.capacityBytes() == 0 ? "size unknown" : Quantities.text(volume.capacityBytes());
        return volume.volumeId() + ", " + size;
    }
}
