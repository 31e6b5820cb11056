package io.csi4j.admin.internal.api;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginProfile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The facts about public plugins in the file {@code known-plugins.tsv}, with the source of each. A caller has to ask for
 * one of them; none is applied by itself.
 */
final class KnownPlugins {
    private static final String FILE = "/io/csi4j/admin/known-plugins.tsv";
    private static final int FIELDS = 6;

    /**
     * A known plugin.
     *
     * @param name the name of the driver from GetPluginInfo
     * @param workloadInfo whether its manifest asks for information about the workload
     * @param securityLabel whether its manifest says that it mounts with the label of a workload
     * @param facts what csi4j has no field for; possibly empty
     * @param source the repository, file and commit of the manifest
     * @param date the date of that commit
     */
    record Known(String name, boolean workloadInfo, boolean securityLabel, String facts, String source, String date) {
        PluginProfile profile() {
            return PluginProfile.builder(PluginId.of(name))
                    .workloadInfo(workloadInfo)
                    .securityLabel(securityLabel)
                    .build();
        }
    }

    private KnownPlugins() {}

    /** Returns all known plugins, in the order of their names. */
    static List<Known> all() {
        try (InputStream in = KnownPlugins.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing in the jar of csi-admin");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(KnownPlugins::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Known read(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != FIELDS) {
            throw new IllegalStateException(FILE + ": a line has " + fields.length + " fields instead of " + FIELDS);
        }
        return new Known(fields[0], fields[1].equals("yes"), fields[2].equals("yes"), fields[3], fields[4], fields[5]);
    }

    /** Returns the known plugin with a name; empty if there is none. */
    static Optional<Known> find(String name) {
        return all().stream().filter(known -> known.name().equals(name)).findFirst();
    }
}
