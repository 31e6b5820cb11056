package io.csi4j.examples.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.shell.Csi;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command for jobs. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description =
                "Lists all allocations with their nodes, states and volumes. Fails if a line of the job file is wrong.")
final class JobList extends ServerCommand {
    JobList(Path sockets) {
        super(sockets);
    }

    @Override
    String op() {
        return "job list";
    }

    @Override
    int show(JsonElement answer) {
        JsonObject lists = answer.getAsJsonObject();
        printTable(lists.get("jobs"));
        JsonArray problems = lists.getAsJsonArray("problems");
        problems.forEach(problem -> printError("csi: wrong line, the others count: " + problem.getAsString()));
        return problems.isEmpty() ? CommandLine.ExitCode.OK : Csi.FAILED;
    }
}
