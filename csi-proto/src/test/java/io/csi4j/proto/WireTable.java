package io.csi4j.proto;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Reads the table of published elements. */
final class WireTable {
    private static final String HEADER = "kind\tname\tnumber\ttype\toneof\toptions\tversions";

    private WireTable() {}

    static List<WireRow> read() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(WireTable.class.getResourceAsStream("csi-wire.tsv"), "csi-wire.tsv"),
                StandardCharsets.UTF_8))) {
            if (!HEADER.equals(reader.readLine())) {
                throw new IOException("csi-wire.tsv: the first line must be: " + HEADER);
            }
            return reader.lines().map(WireTable::row).toList();
        }
    }

    private static WireRow row(String line) {
        String[] cells = line.split("\t", -1);
        if (cells.length != 7) {
            throw new IllegalArgumentException("csi-wire.tsv: not seven cells: " + line);
        }
        boolean removed = switch (cells[6]) {
            case "all", "1.13" -> false;
            case "1.12" -> true;
            default -> throw new IllegalArgumentException("csi-wire.tsv: unknown versions: " + line);
        };
        return new WireRow(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], removed);
    }
}
