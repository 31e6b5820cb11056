package io.csi4j.proto;

/**
 * One fact about CSI on the wire: an extension, enum, value, message, field, service or RPC.
 *
 * @param kind which of these
 * @param name its published name with those of its containers
 * @param number the number, or "-"
 * @param type a field's type, or an RPC's request and response, or "-"
 * @param oneof the oneof a field is in, or "-"
 * @param options "csi_secret", "alpha", both with a comma between, or "-"
 * @param removed whether CSI 1.13 has it no more
 */
record WireRow(String kind, String name, String number, String type, String oneof, String options, boolean removed) {
    String key() {
        return kind + " " + name;
    }
}
