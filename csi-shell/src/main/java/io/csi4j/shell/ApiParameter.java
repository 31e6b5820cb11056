package io.csi4j.shell;

/**
 * A parameter of a request.
 *
 * @param place the place in the request
 */
record ApiParameter(Place place, ApiField field) {
    /** The place of a parameter in a request. */
    enum Place {
        PATH,
        QUERY,
        HEADER,
        BODY
    }

    String name() {
        return field.name();
    }
}
