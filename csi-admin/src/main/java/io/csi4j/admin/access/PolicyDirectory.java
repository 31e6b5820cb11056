package io.csi4j.admin.access;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.internal.text.Text;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The policies of a directory. A file that cannot be used keeps the policy that it had. It reads all files each time: they are small, and times and
 * sizes of files do not show each change. Thread-safe; {@link #current} never waits for a file.
 */
final class PolicyDirectory {
    static final String SUFFIX = ".policy";
    static final int MOST_FILES = 1_000;
    static final int MOST_BYTES = 1 << 20;

    private static final System.Logger LOG = System.getLogger(PolicyDirectory.class.getName());

    private final Path directory;
    private final CauseLog causes;
    private volatile Policies current = new Policies(Map.of(), List.of());

    /** The policies by name, and the problems of the last reading. */
    record Policies(Map<String, Policy> byName, List<PolicyProblem> problems) {
        Policies {
            byName = Collections.unmodifiableMap(new TreeMap<>(byName));
            problems = List.copyOf(problems);
        }
    }

    PolicyDirectory(Path directory, Clock clock) {
        this.directory = directory;
        this.causes = new CauseLog(LOG, clock);
    }

    Policies current() {
        return current;
    }

    /** Reads all files for the first time. */
    synchronized void start() {
        Policies read = read(Map.of());
        if (!read.problems().isEmpty()) {
            throw new PolicyException(read.problems());
        }
        current = read;
    }

    /** Reads all files again. */
    synchronized void reload() {
        Policies before = current;
        Policies read = read(before.byName());
        current = read;
        for (PolicyProblem problem : read.problems()) {
            causes.warn(
                    problem.toString(),
                    "A policy file cannot be used, and the policy that it had stays in use: " + problem);
        }
        Set<PolicyProblem> solved = new HashSet<>(before.problems());
        read.problems().forEach(solved::remove);
        solved.forEach(problem -> causes.over(problem.toString()));
        if (!read.byName().equals(before.byName())) {
            LOG.log(
                    Level.INFO,
                    "The policies in {0} have changed; in use are {1}",
                    directory,
                    String.join(", ", read.byName().keySet()));
        }
    }

    private Policies read(Map<String, Policy> before) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            for (Path file : all) {
                // Editors keep their own files under names that begin with a dot.
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX) && !name.startsWith(".")) {
                    files.add(file);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return unusable(before, "cannot be listed (" + reason(e) + ")", "check the directory of the policies");
        }
        if (files.size() > MOST_FILES) {
            return unusable(before, "has " + files.size() + " policy files", "keep at most " + MOST_FILES);
        }
        Collections.sort(files);
        Map<String, Policy> policies = new TreeMap<>();
        List<PolicyProblem> problems = new ArrayList<>();
        for (Path file : files) {
            read(file, before, policies, problems);
        }
        return new Policies(policies, problems);
    }

    private Policies unusable(Map<String, Policy> before, String problem, String remedy) {
        return new Policies(before, List.of(new PolicyProblem(directory.toString(), 0, problem, remedy)));
    }

    private static void read(
            Path file, Map<String, Policy> before, Map<String, Policy> policies, List<PolicyProblem> problems) {
        String shown = Text.printable(file.getFileName().toString());
        String full = file.getFileName().toString();
        String name = full.substring(0, full.length() - SUFFIX.length());
        if (!AccessTokenRequest.isPolicyName(name)) {
            problems.add(new PolicyProblem(
                    shown,
                    0,
                    "has a name that no token can have as a policy",
                    "use letters, digits, dots, hyphens and underscores before " + SUFFIX));
            return;
        }
        PolicyParser.Result result;
        try {
            result = PolicyParser.parse(shown, bytes(file));
        } catch (NoSuchFileException e) {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                // It was removed after the directory was listed.
                return;
            }
            result = failed(shown, "is a link to a missing file", "remove the link, or restore its file");
        } catch (IOException e) {
            result = failed(shown, "cannot be read (" + reason(e) + ")", "let csi4j read it");
        }
        if (result.problems().isEmpty()) {
            policies.put(name, result.policy());
        } else {
            problems.addAll(result.problems());
            if (before.containsKey(name)) {
                policies.put(name, before.get(name));
            }
        }
    }

    private static PolicyParser.Result failed(String file, String problem, String remedy) {
        return new PolicyParser.Result(new Policy(List.of()), List.of(new PolicyProblem(file, 0, problem, remedy)));
    }

    private static byte[] bytes(Path file) throws IOException {
        // To open another kind of file can block, or change something.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("it is no regular file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("it has more than " + MOST_BYTES + " bytes");
            }
            return bytes;
        }
    }

    private static String reason(Exception failure) {
        return failure.getClass().getSimpleName() + ": " + Text.printable(String.valueOf(failure.getMessage()));
    }
}
