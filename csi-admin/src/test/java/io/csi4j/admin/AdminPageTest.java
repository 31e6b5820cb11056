package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonStreamParser;
import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.api.Failures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps the tables of docs/admin.md as the code has them ({@code -Dcsi4j.docs.write=true} writes them), and runs its examples. */
class AdminPageTest {
    private static final Path PAGE = Path.of("../docs/admin.md");

    @Test
    void tableOfEndpointsIsThatOfTheCode() throws Exception {
        String rows = AdminServer.endpoints().stream()
                .map(endpoint ->
                        "| `" + endpoint.command() + "` | `" + endpoint.method() + " " + endpoint.path() + "` | "
                                + (endpoint.scope() != null ? "yes" : "-") + " | " + endpoint.permission() + " | "
                                + endpoint.summary() + " |")
                .collect(Collectors.joining("\n"));
        compare("endpoints", "| command | request | waits | needs | |\n|---|---|---|---|---|\n" + rows);
    }

    @Test
    void tableOfProblemsIsThatOfTheCode() throws Exception {
        String rows = Failures.kinds().stream()
                .map(kind -> "| `" + kind.name() + "` | " + kind.status() + " | " + kind.remedy() + " |")
                .collect(Collectors.joining("\n"));
        compare("problems", "| type, after `urn:csi4j:problem:` | status | do this |\n|---|---|---|\n" + rows);
    }

    /** A kind is written in the code where a failure is made. */
    @Test
    void everyKindOfProblemIsInTheTable() throws Exception {
        Set<String> known = Failures.kinds().stream()
                .map(kind -> kind.name() + " " + kind.status())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> made = new TreeSet<>(Set.of("rejected 409", "not-found 404", "internal 500"));
        Pattern pattern =
                Pattern.compile("(?:Failure\\.of|refusal|plain|problems|new Failure)\\(\\s*\"([a-z-]+)\",\\s*(\\d+)");
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Matcher kind = pattern.matcher(Files.readString(file));
                while (kind.find()) {
                    made.add(kind.group(1) + " " + kind.group(2));
                }
            }
        }
        assertThat(made).isEqualTo(known);
    }

    private static void compare(String name, String table) throws IOException {
        String begin = "<!-- " + name + " -->\n";
        String end = "<!-- end of " + name + " -->";
        String page = Files.readString(PAGE);
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf(end);
        assertThat(to).as("the marks %s in %s", name, PAGE).isGreaterThanOrEqualTo(from);
        String now = page.substring(0, from) + "\n" + table + "\n\n" + page.substring(to);
        if (Boolean.getBoolean("csi4j.docs.write")) {
            Files.writeString(PAGE, now);
        }
        assertThat(Files.readString(PAGE))
                .as("%s is out of date; write it with -Dcsi4j.docs.write=true and check the change", PAGE)
                .isEqualTo(now);
    }

    @Test
    void everyCommandOfTheComparisonExists() throws Exception {
        String page = Files.readString(PAGE);
        String table = page.substring(page.indexOf("## Compared with others"));
        List<String> commands =
                AdminServer.endpoints().stream().map(Endpoint::command).toList();
        for (String line :
                table.lines().filter(row -> row.startsWith("| ")).skip(1).toList()) {
            String last = line.substring(line.lastIndexOf('|', line.length() - 2));
            if (last.startsWith("| no:")) {
                continue;
            }
            String object = "";
            Matcher command = Pattern.compile("`([a-z- ]+)`").matcher(last);
            while (command.find()) {
                String text = command.group(1);
                if (text.contains(" ")) {
                    object = text.substring(0, text.indexOf(' '));
                } else if (!commands.contains(text) && !object.isEmpty()) {
                    text = object + " " + text; // As in: snapshot create, list.
                }
                if (!text.startsWith("-") && !List.of("index", "wait", "jq").contains(command.group(1))) {
                    assertThat(commands).as(line).contains(text);
                }
            }
        }
    }

    @Test
    void examplesRun() throws Exception {
        assumeTrue(
                List.of(System.getenv("PATH").split(":")).stream().anyMatch(at -> Files.exists(Path.of(at, "curl"))),
                "needs curl");
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            rig.done(rig.claim("a1", "n1", AdminRig.key("db")));
            Matcher block = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
            int run = 0;
            while (block.find()) {
                String script = block.group(1);
                String output = shell(rig, script);
                JsonStreamParser answers = new JsonStreamParser(output);
                while (answers.hasNext()) {
                    JsonObject answer = answers.next().getAsJsonObject();
                    assertThat(answer.has("type")).as("%s%n%s", script, answer).isFalse();
                    run++;
                }
            }
            assertThat(run).as("answers").isEqualTo(8);
        }
    }

    private static String shell(AdminRig rig, String script) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-e", "-c", script).redirectErrorStream(true);
        builder.environment().put("CSI", rig.admin.uri().toString().replaceFirst("/$", ""));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s%n%s", script, output).isZero();
        return output;
    }
}
