package io.csi4j.examples.scheduler;

import io.csi4j.core.csi.VolumeAccessMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A line of the job file: a kind, mostly a name, and settings as KEY=VALUE.
 *
 * @param words the words of the line without its comment; one empty word for an empty line
 */
record JobLine(List<String> words) {
    private static final String NAME = "[a-z0-9][a-z0-9-]*";

    static JobLine of(String text) {
        return new JobLine(List.of(text.replaceFirst("#.*", "").strip().split("\\s+")));
    }

    /** Returns the first word. */
    String kind() {
        return words.get(0);
    }

    boolean hasName() {
        return words.size() > 1 && words.get(1).matches(NAME);
    }

    /**
     * Returns the second word.
     *
     * @throws IllegalArgumentException if it is missing or no name
     */
    String name() {
        if (!hasName()) {
            throw new IllegalArgumentException("the second word is no name; write a name of a-z, 0-9 and -");
        }
        return words.get(1);
    }

    /**
     * Returns the words after the name by their keys.
     *
     * @throws IllegalArgumentException if a word has another form or key
     */
    Map<String, String> settings(Set<String> known) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String word : words.subList(2, words.size())) {
            String[] parts = word.split("=", 2);
            if (parts.length < 2 || !known.contains(parts[0])) {
                throw new IllegalArgumentException("'" + word + "' is not one of " + new TreeSet<>(known)
                        + ", as KEY=VALUE; correct or remove it");
            }
            settings.put(parts[0], parts[1]);
        }
        return settings;
    }

    /** Returns the access mode of some settings, by default {@code SINGLE_NODE_WRITER}. */
    static VolumeAccessMode mode(Map<String, String> settings) {
        return accessMode(settings.getOrDefault("mode", VolumeAccessMode.SINGLE_NODE_WRITER.name()));
    }

    /** Reads a setting that is the name of a constant, in small letters. */
    static <E extends Enum<E>> E oneOf(Class<E> type, Map<String, String> settings, String key, String normal) {
        String text = settings.getOrDefault(key, normal);
        return Stream.of(type.getEnumConstants())
                .filter(constant -> constant.name().equals(text.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + key + "=" + text + "' is not one of " + List.of(type.getEnumConstants())));
    }

    /** Reads the name of an access mode, for example {@code SINGLE_NODE_WRITER}. */
    static VolumeAccessMode accessMode(String name) {
        return Stream.of(VolumeAccessMode.values())
                .filter(mode -> mode.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + name + "' is not an access mode; the modes are " + List.of(VolumeAccessMode.values())));
    }
}
