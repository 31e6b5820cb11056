package io.csi4j.core.internal.log;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import java.util.Locale;

/**
 * Names a failure in a line of the log without its message, which may contain secrets. For failures of csi4j these are words: operators do
 * not know its classes.
 */
public final class FailureName {
    private static final String OWN = "io.csi4j.";

    private FailureName() {}

    /** Returns, for example, {@code ListVolumes at plugin ebs failed (INTERNAL)}, {@code access denied}, {@code java.io.IOException}. */
    public static String of(Throwable failure) {
        if (failure instanceof CsiCallException call) {
            return call.summary();
        }
        if (failure.getClass() == CsiException.class) {
            return "a CSI failure";
        }
        String name = failure.getClass().getName();
        String simple = failure.getClass().getSimpleName();
        return name.startsWith(OWN) && !simple.isEmpty() ? words(simple) : name;
    }

    /** Returns {@code access denied} for {@code AccessDeniedException}. */
    private static String words(String className) {
        return className
                .replaceFirst("(Exception|Error)$", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
