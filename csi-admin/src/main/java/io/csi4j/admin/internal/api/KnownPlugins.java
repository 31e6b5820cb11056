package io.csi4j.admin.internal.api;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.RepublishOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The facts about public plugins in the file {@code known-plugins.tsv}, with the source of each. A caller has to ask for
 * one of them; none is applied by itself.
 */
final class KnownPlugins {
    private static final String FILE = "/io/csi4j/admin/known-plugins.tsv";
    private static final int FIELDS = 11;

    /**
     * A known plugin.
     *
     * @param name the name of the driver from GetPluginInfo
     * @param workloadInfo whether its manifest asks for information about the workload
     * @param securityLabel whether its manifest says that it mounts with the label of a workload
     * @param ownershipFixed whether its manifest says that the files of its volumes are not given to a group (fsGroupPolicy
     *     None)
     * @param republished whether its manifest asks for further calls while a volume is mounted; it does not say how often
     * @param audiences the audiences of the tokens that its manifest asks for
     * @param tokenExpiry the life of these tokens; null if the manifest does not say it
     * @param facts what csi4j has no field for; possibly empty
     * @param source the repository, file and commit of the manifest
     * @param date the date of that commit
     * @param otherNames patterns of other names that installations give the driver; an asterisk stands for any text
     */
    record Known(
            String name,
            boolean workloadInfo,
            boolean securityLabel,
            boolean ownershipFixed,
            boolean republished,
            List<String> audiences,
            @Nullable Duration tokenExpiry,
            String facts,
            String source,
            String date,
            List<String> otherNames) {
        /** Returns whether a driver with a name from GetPluginInfo is this one. */
        boolean fits(String driver) {
            return name.equals(driver)
                    || otherNames.stream()
                            .anyMatch(pattern ->
                                    Pattern.matches(Pattern.quote(pattern).replace("*", "\\E.+\\Q"), driver));
        }

        /** Returns all names and patterns of names of the driver. */
        List<String> names() {
            return Stream.concat(Stream.of(name), otherNames.stream()).toList();
        }

        PluginProfile profile() {
            PluginProfile.Builder profile = PluginProfile.builder(PluginId.of(name));
            addTo(profile);
            return profile.build();
        }

        /** Sets what the manifest asks for. Manifests that do not name the secrets get tokens in the volume context. */
        void addTo(PluginProfile.Builder profile) {
            profile.workloadInfo(workloadInfo)
                    .securityLabel(securityLabel)
                    .ownershipFixed(ownershipFixed)
                    .republishInterval(republished ? RepublishOptions.USUAL : Duration.ZERO)
                    .tokenAudiences(audiences)
                    .tokenExpiry(tokenExpiry);
            if (!audiences.isEmpty()) {
                profile.tokenDelivery(RepublishOptions.Delivery.VOLUME_CONTEXT);
            }
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
        return new Known(
                fields[0],
                fields[1].equals("yes"),
                fields[2].equals("yes"),
                fields[3].equals("yes"),
                fields[4].equals("yes"),
                fields[5].isEmpty() ? List.of() : List.of(fields[5].split(",")),
                fields[6].isEmpty() ? null : Duration.ofSeconds(Long.parseLong(fields[6])),
                fields[7],
                fields[8],
                fields[9],
                fields[10].isEmpty() ? List.of() : List.of(fields[10].split(",")));
    }

    /** Returns the known plugin with a name; empty if there is none. */
    static Optional<Known> find(String name) {
        return all().stream().filter(known -> known.name().equals(name)).findFirst();
    }
}
