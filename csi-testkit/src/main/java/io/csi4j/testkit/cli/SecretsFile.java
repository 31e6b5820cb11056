package io.csi4j.testkit.cli;

import io.csi4j.testkit.conformance.CsiConformanceBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads secrets: lines {@code K=V} for all calls, and sections like {@code CreateVolumeSecret:} with indented lines {@code K: V} for one call. Error
 * messages never show the value of a secret.
 */
final class SecretsFile {
    private static final String SECTION_END = "Secret:";

    private final Map<String, String> common = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> byRpc = new LinkedHashMap<>();

    private SecretsFile() {}

    static SecretsFile read(Path path) throws IOException {
        SecretsFile file = new SecretsFile();
        String section = "";
        int number = 0;
        for (String line : Files.readAllLines(path)) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            boolean indented = Character.isWhitespace(line.charAt(0));
            if (!indented && text.endsWith(SECTION_END)) {
                section = text.substring(0, text.length() - SECTION_END.length());
                // Accepts the section name that the public conformance suite uses for ValidateVolumeCapabilities, too.
                section =
                        section.equals("ControllerValidateVolumeCapabilities") ? "ValidateVolumeCapabilities" : section;
            } else {
                section = indented ? section : "";
                file.add(section, text, number);
            }
        }
        return file;
    }

    private void add(String section, String text, int number) {
        int end = text.indexOf(section.isEmpty() ? '=' : ':');
        if (end <= 0) {
            throw new UsageException("line " + number + " of --secrets-file must be "
                    + (section.isEmpty() ? "K=V, or begin a section like CreateVolumeSecret:" : "K: V"));
        }
        String value = text.substring(end + 1);
        Map<String, String> set =
                section.isEmpty() ? common : byRpc.computeIfAbsent(section, rpc -> new LinkedHashMap<>());
        set.put(text.substring(0, end).strip(), section.isEmpty() ? value : unquoted(value.strip()));
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1
                && (value.startsWith("\"") || value.startsWith("'"))
                && value.charAt(0) == value.charAt(value.length() - 1);
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    void applyTo(CsiConformanceBuilder builder) {
        builder.secrets(common);
        byRpc.forEach(builder::secrets);
    }
}
