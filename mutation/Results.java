import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of mutants, in a file to which each new one is added: a run that ended early goes on from there. */
final class Results {
    private final Path file;
    private final Map<String, Result> byMutant = new HashMap<>();

    Results(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                String[] parts = line.split("\t", -1);
                if (parts.length == 4) {
                    byMutant.put(parts[0], new Result(Status.valueOf(parts[1]), parts[2], List.of(parts[3].split(","))));
                }
            }
        }
    }

    enum Status {
        KILLED,
        TOO_LONG,
        DIED,
        /** The JVM does not take the class, so the mutant says nothing about the tests. */
        NOT_VIABLE,
        SURVIVED,
        NOT_COVERED;

        boolean isFinal() {
            return compareTo(SURVIVED) < 0;
        }

        boolean isKill() {
            return compareTo(NOT_VIABLE) < 0;
        }
    }

    /**
     * @param test the test that failed, or an empty text
     * @param passed the stamps of the tests that passed, if the mutant survived
     */
    record Result(Status status, String test, List<String> passed) {}

    synchronized Optional<Result> of(String mutant) {
        return Optional.ofNullable(byMutant.get(mutant));
    }

    synchronized void add(String mutant, Result result) throws IOException {
        byMutant.put(mutant, result);
        String line = String.join("\t", mutant, result.status.name(), result.test, String.join(",", result.passed));
        Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
