package io.csi4j.admin.access;

import java.util.Objects;

/**
 * A reason why a policy file cannot be used.
 *
 * @param file the name of the file, or the path of the directory
 * @param line the number of the line, from 1; 0 if the problem is that of the whole file
 * @param problem the problem
 * @param remedy the change that solves it
 */
public record PolicyProblem(String file, int line, String problem, String remedy) {
    public PolicyProblem {
        Objects.requireNonNull(file, "file");
        Objects.requireNonNull(problem, "problem");
        Objects.requireNonNull(remedy, "remedy");
    }

    @Override
    public String toString() {
        return file + (line == 0 ? "" : ":" + line) + ": " + problem + "; " + remedy;
    }
}
