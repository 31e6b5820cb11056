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
import io.csi4j.examples.walk.Back;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes volumes, and checks what the plugin says it made. */
final class VolumeSteps {
    /** What the longest name of anything made on the way adds to the name of the volume. */
    static final String LONGEST_SUFFIX = "-snapshot-2";

    private final Session session;

    VolumeSteps(Session session) {
        this.session = session;
    }

    boolean offered() {
        return session.facts().has(ControllerCapability.CREATE_DELETE_VOLUME);
    }

    /** A new volume, which the way back deletes. */
    CreatedVolume create(String name, long bytes, @Nullable VolumeContentSource source) {
        return create(name, bytes, source, false);
    }

    /**
     * A new volume.
     *
     * @param keep whether the way back leaves it
     */
    CreatedVolume create(String name, long bytes, @Nullable VolumeContentSource source, boolean keep) {
        CreateVolumeRequest request = request(name, bytes, source);
        ExternalVolume volume = session.walk()
                .make(
                        Rpc.CREATE_VOLUME,
                        () -> session.plugin().controller().createVolume(request),
                        answer -> name + ": " + text(answer.volume()),
                        answer -> keep ? kept(answer.volume(), name) : delete(answer.volume(), name))
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
        session.facts()
                .topologyToAskFor()
                .ifPresent(here ->
                        request.accessibilityRequirements(new TopologyRequirement(List.of(here), List.of(here))));
        return request.build();
    }

    private Back delete(ExternalVolume volume, String name) {
        DeleteVolumeRequest request = DeleteVolumeRequest.builder(volume.volumeId())
                .secrets(session.options().secrets())
                .build();
        return Back.call(
                Rpc.DELETE_VOLUME,
                CreatedVolume.from(volume).subject(),
                () -> session.plugin().controller().deleteVolume(request),
                "the volume " + volume.volumeId() + " (name " + name + "); once it is used nowhere, delete it at the"
                        + " storage provider");
    }

    /**
     * Leaves it, and says how to come back to it: creating a volume of the same name again finds this one
     * (R51).
     */
    private Back kept(ExternalVolume volume, String name) {
        String text = "volume " + volume.volumeId() + " (name " + name
                + "). To walk with it again and have it deleted at"
                + " the end, repeat the same command with --volume-name " + name + " and without --keep."
                + " To use it as it is: --volume-id " + volume.volumeId()
                + (volume.volumeContext().isEmpty() ? "" : ", and its volume context with --volume-context") + ".";
        return Back.local(
                "keep",
                CreatedVolume.from(volume).subject(),
                () -> session.log().say("Kept: " + text),
                text);
    }

    private void check(ExternalVolume volume, long bytes, @Nullable VolumeContentSource source) {
        session.walk().local("check the new volume", () -> {
            if (volume.capacityBytes() != 0 && volume.capacityBytes() < bytes) {
                throw new IOException("asked for at least " + bytes + " bytes, and the plugin answered "
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
            return volume.capacityBytes() == 0 ? "size unknown" : "size, source and topology are as asked";
        });
    }

    /** From everywhere, or from a topology all of whose segments this node has. */
    private boolean reachable(ExternalVolume volume) {
        Optional<Topology> here = session.facts().topologyToAskFor();
        return volume.accessibleTopology().isEmpty()
                || here.isEmpty()
                || volume.accessibleTopology().stream()
                        .anyMatch(topology -> here.get()
                                .segments()
                                .entrySet()
                                .containsAll(topology.segments().entrySet()));
    }

    private static String text(ExternalVolume volume) {
        String size = volume.capacityBytes() == 0 ? "size unknown" : Quantity.text(volume.capacityBytes());
        return volume.volumeId() + ", " + size;
    }
}
