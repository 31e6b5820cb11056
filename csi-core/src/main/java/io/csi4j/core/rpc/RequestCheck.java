package io.csi4j.core.rpc;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.text.Text;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds all problems of a request (R16-R25). The texts of the problems do not contain values of the request. */
final class RequestCheck {
    private final String subject;
    private final CsiLimits limits = new CsiLimits();

    RequestCheck(String subject) {
        this.subject = subject;
    }

    /** Checks a name: it must not be empty, not be too long, and have only valid characters (R21). */
    void name(String field, String name) {
        if (name.isEmpty()) {
            add(field, "is empty", "give a name that stays the same when the request is repeated");
        }
        limits.name(field, name);
        if (Text.unpairedAt(name) >= 0) {
            // An unpaired surrogate (half of a UTF-16 character) would be encoded as a question mark. Then the name
            // could equal the name of another object.
            add(field, "holds half a character (a lone surrogate)", "give Unicode text (R21)");
        }
    }

    /** Checks that a map is not too large (R16). */
    void map(String field, Map<String, String> map) {
        limits.map(field, map);
    }

    /** Checks that the secrets are not too large and that their keys have only allowed characters (R16, R25). */
    void secrets(Secrets secrets) {
        limits.secrets("secrets", secrets.asMap());
    }

    /** Checks that there is at least one capability and that each one is valid (R22). */
    void capabilities(String field, List<VolumeCapability> capabilities) {
        notEmpty(field, capabilities);
        someCapabilities(field, capabilities);
    }

    void someCapabilities(String field, List<VolumeCapability> capabilities) {
        for (int i = 0; i < capabilities.size(); i++) {
            capability(field + "[" + i + "]", capabilities.get(i));
        }
    }

    void capability(String field, VolumeCapability capability) {
        if (capability.accessMode() == VolumeAccessMode.UNKNOWN) {
            add(field + ".accessMode", "is UNKNOWN", "choose one of the seven access modes");
        }
        capability.mountVolume().ifPresent(mount -> mount(field + ".mountVolume", mount));
    }

    void optionalCapability(String field, @Nullable VolumeCapability capability) {
        if (capability != null) {
            capability(field, capability);
        }
    }

    private void mount(String field, MountVolume mount) {
        limits.string(field + ".fsType", mount.fsType());
        limits.string(field + ".volumeMountGroup", mount.volumeMountGroup());
        limits.mountFlags(field + ".mountFlags", mount.mountFlags().asList());
    }

    /** Checks the topologies of a requirement, if there is one (R24, R53). */
    void topology(String field, @Nullable TopologyRequirement requirement) {
        if (requirement != null) {
            limits.topologies(field, requirement);
        }
    }

    /** Checks that keys and values of a topology are valid (R24). */
    void topology(String field, @Nullable Topology topology) {
        if (topology != null) {
            limits.topology(field, topology);
        }
    }

    /** Checks that a collection is not empty (R22). */
    void notEmpty(String field, Collection<?> elements) {
        if (elements.isEmpty()) {
            add(field, "is empty", "give at least one (R22)");
        }
    }

    /** Checks that a size, a count or an offset is not negative (R23). */
    void notNegative(String field, long number) {
        if (number < 0) {
            add(field, "is " + number, "use 0 or more (R23)");
        }
    }

    /** Checks that a path is absolute (R85, R88). */
    void path(String field, String path) {
        if (!path.startsWith("/")) {
            add(field, path.isEmpty() ? "is empty" : "is not absolute", "give the absolute path on the plugin's node");
        } else if (path.indexOf('\0') >= 0) {
            add(field, "holds a NUL character", "give a path that the operating system accepts");
        }
    }

    void optionalPath(String field, @Nullable String path) {
        if (path != null) {
            path(field, path);
        }
    }

    /** Ends the check: throws an exception if a problem was found. */
    void done() {
        List<Problem> problems = limits.problems();
        if (!problems.isEmpty()) {
            throw new CsiRequestException(subject, problems);
        }
    }

    private void add(String field, String problem, String remedy) {
        limits.add(field, problem, remedy);
    }
}
