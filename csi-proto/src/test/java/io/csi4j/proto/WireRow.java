package io.csi4j.proto;

/**
 * One element of CSI's wire format: an extension, enum, value, message, field, service or RPC.
 *
 * @param kind the kind of element
 * @param name the published name, with the names of its containers
 * @param number the number, or "-"
 * @param type a field's type, or an RPC's request and response, or "-"
 * @param oneof the oneof that contains the field, or "-"
 * @param options "csi_secret", "alpha", "csi_secret,alpha", or "-"
 * @param removed whether CSI 1.13 removed the element
 */
record WireRow(String kind, String name, String number, String type, String oneof, String options, boolean removed) {
    String key() {
        return kind + " " + name;
    }
}
