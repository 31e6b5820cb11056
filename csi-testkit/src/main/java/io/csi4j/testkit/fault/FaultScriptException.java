package io.csi4j.testkit.fault;

/** A line of a script that cannot be read. The message names the line, the word and the remedy. */
public final class FaultScriptException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final int line;

    FaultScriptException(int line, String problem) {
        super("line " + line + ": " + problem);
        this.line = line;
    }

    /** Returns the number of the line, beginning with 1. */
    public int line() {
        return line;
    }
}
