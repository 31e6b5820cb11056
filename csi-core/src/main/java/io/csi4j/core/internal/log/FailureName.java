package io.csi4j.core.internal.log;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Names a failure in a line of the log without its message, which may contain secrets. For failures of csi4j these are words: operators do
 * not know its classes.
 */
public final class FailureName {
    private static final String OWN = "io.csi4j.";

    private FailureName() {}

    /** Returns, for example, {@code ListVolumes at plugin ebs failed (INTERNAL)}, {@code access denied}, {@code java.io.IOException}. */
    public static String of(Throwable failure) {
        Throwable cause = withoutWrapper(failure);
        if (cause instanceof CsiCallException call) {
            return call.summary();
        }
        if (cause.getClass() == CsiException.class) {
            return "a CSI failure";
        }
        String name = cause.getClass().getName();
        return name.startsWith(OWN) ? words(cause.getClass().getSimpleName()) : name;
    }

    /** Returns the cause of a failure that only says that another thread found it. */
    public static Throwable withoutWrapper(Throwable failure) {
        Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        return wrapper && cause != null ? withoutWrapper(cause) : failure;
    }

    /** Returns {@code access denied} for {@code AccessDeniedException}. */
    private static String words(String className) {
        return className
                .replaceFirst("(Exception|Error)$", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
