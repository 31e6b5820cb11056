package io.csi4j.core.command;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Finds the one claim that all mounts of a volume by one allocation need, or the reason why there is none. A volume is
 * staged once on a node (R85), and each target is published with its own flags and mode (R89).
 */
final class ClaimMerge {
    private static final String ONE_FOR_ALL =
            "; use one for all its mounts of the volume, or another allocation for each";

    private ClaimMerge() {}

    /** Returns the claims for the mounts of an allocation; see {@link ClaimRequest#merged}. */
    static List<ClaimRequest> of(List<ClaimRequest> requests) {
        List<ClaimRequest> merged = new ArrayList<>(requests.size());
        byVolume(requests).values().forEach(mounts -> {
            if (conflict(mounts).isPresent()) {
                merged.addAll(mounts);
            } else {
                merged.add(claim(List.copyOf(mounts)));
            }
        });
        return List.copyOf(merged);
    }

    /** Returns the refusals of merged requests; see {@link ClaimRequest#conflicts}. */
    static Map<VolumeKey, AdmissionDecision.Never> conflicts(List<ClaimRequest> merged) {
        Map<VolumeKey, AdmissionDecision.Never> refusals = new TreeMap<>();
        byVolume(merged).forEach((volume, mounts) -> {
            if (mounts.size() > 1) {
                String detail =
                        conflict(mounts).orElse("the claim names the volume once for each mount; make it one claim");
                refusals.put(volume, new AdmissionDecision.Never(NeverReason.REQUESTED_DIFFERENTLY, detail));
            }
        });
        return refusals;
    }

    /** Returns the different mounts of each volume, in the order in which they appear first. */
    private static Map<VolumeKey, Set<ClaimRequest>> byVolume(List<ClaimRequest> requests) {
        Map<VolumeKey, Set<ClaimRequest>> byVolume = new LinkedHashMap<>();
        for (ClaimRequest request : requests) {
            byVolume.computeIfAbsent(request.volume(), volume -> new LinkedHashSet<>())
                    .add(request);
        }
        return byVolume;
    }

    /**
     * Returns the reason why no single claim serves the mounts of a volume, with the remedy; empty if one claim does.
     *
     * @param mounts the different mounts
     */
    private static Optional<String> conflict(Set<ClaimRequest> mounts) {
        Set<RequestedCapability> capabilities = values(mounts, ClaimRequest::capability);
        if (mounts.size() < 2) {
            return Optional.empty();
        }
        if (capabilities.size() > 1) {
            return Optional.of("the allocation requests the volume as " + capabilities
                    + ", and a volume has one capability while it is published (R90)" + ONE_FOR_ALL);
        }
        Set<String> fileSystems = given(mounts, MountOptions::fsType);
        if (fileSystems.size() > 1) {
            return Optional.of("the allocation requests the volume with the file systems "
                    + Text.printable(fileSystems.toString()) + ", and it is staged once on a node (R85)" + ONE_FOR_ALL);
        }
        if (given(mounts, MountOptions::volumeMountGroup).size() > 1) {
            return Optional.of("the allocation requests the volume with different volume mount groups, and it is staged"
                    + " once on a node (R85)" + ONE_FOR_ALL);
        }
        if (ownerships(mounts).size() > 1) {
            return Optional.of("the allocation requests the volume with different ownership options, and its files are"
                    + " given to the group once on a node" + ONE_FOR_ALL);
        }
        if (labels(mounts).size() > 1) {
            return Optional.of(
                    "the allocation requests the volume with different security labels, or with a label and with"
                            + " none, and a volume has one label on a node" + ONE_FOR_ALL);
        }
        RequestedCapability capability = capabilities.iterator().next();
        if (capability.attachmentMode() == AttachmentMode.BLOCK
                && values(mounts, ClaimRequest::mountOptions).size() > 1) {
            return Optional.of("a block device takes no mount options; leave them out");
        }
        if (values(mounts, ClaimRequest::template).size() > 1) {
            return Optional.of(
                    "the allocation requests the volume with different templates, and it is made once" + ONE_FOR_ALL);
        }
        VolumeAccessMode mode = capability.accessMode();
        return mode.onePath()
                ? Optional.of(
                        "the allocation requests " + mounts.size() + " mounts of the volume with different modes or"
                                + " mount options, and access mode " + mode + " allows one target path on a node (R89);"
                                + " request it once, to write if a task writes, and let the host mount that path read-only for"
                                + " tasks that read, or use SINGLE_NODE_MULTI_WRITER or a MULTI_NODE mode")
                : Optional.empty();
    }

    private static ClaimRequest claim(List<ClaimRequest> mounts) {
        ClaimRequest first = mounts.get(0);
        if (mounts.size() == 1) {
            return first;
        }
        boolean writes = mounts.stream().anyMatch(mount -> mount.mode() == ClaimMode.WRITE);
        Set<MountFlags> flags = values(mounts, mount -> mount.mountOptions().mountFlags());
        MountOptions options = new MountOptions(
                only(given(mounts, MountOptions::fsType)),
                flags.size() == 1 ? first.mountOptions().mountFlags() : MountFlags.empty(),
                only(given(mounts, MountOptions::volumeMountGroup)),
                ownerships(mounts).stream().findFirst().orElseGet(OwnershipOptions::defaults),
                first.mountOptions().securityLabel());
        return new ClaimRequest(
                first.volume(),
                writes ? ClaimMode.WRITE : ClaimMode.READ,
                first.capability(),
                options,
                first.template());
    }

    /** Returns the ownership options of the mounts, without the defaults. */
    private static Set<OwnershipOptions> ownerships(Iterable<ClaimRequest> mounts) {
        Set<OwnershipOptions> ownerships =
                values(mounts, mount -> mount.mountOptions().ownership());
        ownerships.remove(OwnershipOptions.defaults());
        return ownerships;
    }

    private static Set<Optional<SecurityLabel>> labels(Iterable<ClaimRequest> mounts) {
        return values(mounts, mount -> mount.mountOptions().securityLabel());
    }

    private static <T> Set<T> values(Iterable<ClaimRequest> mounts, Function<ClaimRequest, T> part) {
        Set<T> values = new LinkedHashSet<>();
        mounts.forEach(mount -> values.add(Objects.requireNonNull(part.apply(mount))));
        return values;
    }

    /** Returns the values of an option that the mounts give; a mount without the option accepts each value. */
    private static Set<String> given(Iterable<ClaimRequest> mounts, Function<MountOptions, String> option) {
        Set<String> given = values(mounts, mount -> option.apply(mount.mountOptions()));
        given.remove("");
        return given;
    }

    private static String only(Set<String> values) {
        return values.isEmpty() ? "" : values.iterator().next();
    }
}
