package io.csi4j.testkit.internal.control;

import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.ChangedRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Answers the commands of one connection. A command is one line; its answer is {@code ok} with the number of lines that
 * follow, or {@code error} with a sentence.
 */
final class ControlConnection {
    /** The line that answers the command {@code follow}. From then on, all calls of the plugin are reported. */
    static final String FOLLOWING = "ok";

    private static final List<String> HELP = List.of(
            "fault RULE                add a rule, as in a script; answers its id",
            "faults                    list the rules: id, number of uses, rule",
            "await ID COUNT MILLIS     wait until a rule was used so often",
            "remove ID|all             remove a rule; answers the number of its uses",
            "history [table|mermaid]   list the calls",
            "leaks                     list what callers have left",
            "changed-requests          list the names that callers used for different requests",
            "capacity BYTES KEY=VALUE,...  set how much fits into a topology segment",
            "follow                    list the calls, and then each beginning and end of a call",
            "help                      list the commands");

    private final BufferedReader commands;
    private final Writer answers;
    private final ControlledPlugin plugin;

    ControlConnection(SocketChannel connection, ControlledPlugin plugin) {
        this.commands = new BufferedReader(Channels.newReader(connection, StandardCharsets.UTF_8));
        this.answers = Channels.newWriter(connection, StandardCharsets.UTF_8);
        this.plugin = plugin;
    }

    void run() throws IOException {
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.strip().split("\\s+", 2);
            String rest = words.length > 1 ? words[1] : "";
            if (words[0].equals("follow")) {
                follow();
                return;
            }
            try {
                answer(words[0], rest);
            } catch (IllegalArgumentException | IllegalStateException refused) {
                send("error " + TabbedLine.escaped(String.valueOf(refused.getMessage())));
            }
        }
    }

    private void answer(String command, String rest) throws IOException {
        switch (command) {
            case "fault" -> send("ok " + plugin.faults().addAndNumber(rule(rest)));
            case "faults" -> lines(faults());
            case "await" -> send("ok " + await(rest));
            case "remove" -> send("ok " + remove(rest));
            case "history" -> lines(history(rest));
            case "leaks" ->
                lines(plugin.leaks().get().stream()
                        .map(leak -> TabbedLine.join(List.of(leak.kind().name(), leak.id(), leak.location()))));
            case "changed-requests" ->
                lines(plugin.changedRequests().get().stream().map(ControlConnection::line));
            case "capacity" -> capacity(rest);
            case "help" -> lines(HELP.stream());
            default -> throw new IllegalArgumentException("'" + command + "' is no command; help lists them");
        }
    }

    private static String line(ChangedRequest request) {
        List<String> words = new ArrayList<>(List.of(request.rpc(), request.name()));
        words.addAll(request.fields());
        return TabbedLine.join(words);
    }

    private void capacity(String rest) throws IOException {
        String[] words = rest.split("\\s+", -1);
        if (words.length != 2) {
            throw new IllegalArgumentException("capacity needs a number of bytes and a segment like zone=a");
        }
        Map<String, String> segment = new TreeMap<>();
        for (String pair : words[1].split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException("'" + pair + "' is no key=value of a topology segment");
            }
            segment.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        plugin.capacity().set(segment, number(words[0]));
        send("ok");
    }

    private static FaultRule rule(String line) {
        List<FaultRule> rules = FaultScript.parse(line);
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("fault needs a rule, for example: fault on Probe fail UNAVAILABLE");
        }
        return rules.get(0);
    }

    private Stream<String> faults() {
        return plugin.faults().ids().stream()
                .flatMap(id ->
                        plugin.faults().byId(id).stream().map(fault -> id + " " + fault.used() + " " + fault.rule()));
    }

    private long await(String rest) {
        String[] words = rest.split("\\s+", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException("await needs three numbers: id of the rule, uses, milliseconds");
        }
        Fault fault = fault(words[0]);
        fault.awaitUse(number(words[1]), Duration.ofMillis(number(words[2])));
        return fault.used();
    }

    private long remove(String word) {
        if (word.equals("all")) {
            plugin.faults().removeAll();
            return 0;
        }
        Fault fault = fault(word);
        fault.remove();
        return fault.used();
    }

    private Fault fault(String id) {
        return plugin.faults()
                .byId(number(id))
                .orElseThrow(() -> new IllegalArgumentException("there is no rule " + id + "; faults lists the rules"));
    }

    private static long number(String word) {
        try {
            return Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + word + "' is no number", e);
        }
    }

    private Stream<String> history(String form) {
        CallHistory history = plugin.recorder().history();
        return switch (form) {
            case "" -> history.calls().stream().map(CallLine::of);
            case "table" -> history.toTable().lines();
            case "mermaid" -> history.toMermaid().lines();
            default ->
                throw new IllegalArgumentException("'" + form + "' is no form of a history; use table or mermaid");
        };
    }

    private void lines(Stream<String> lines) throws IOException {
        List<String> all = new ArrayList<>(lines.toList());
        all.add(0, "ok " + all.size());
        send(String.join("\n", all));
    }

    private synchronized void send(String text) throws IOException {
        answers.write(text + "\n");
        answers.flush();
    }

    /** Sends events until the caller ends the connection. An event is sent before its call has an effect. */
    private void follow() throws IOException {
        Runnable end = plugin.recorder().follow(call -> {
            try {
                send(CallLine.of(call));
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
        });
        try {
            send(FOLLOWING);
            while (commands.readLine() != null) {
                // A follower sends nothing after its command, so this read only waits until it disconnects.
            }
        } finally {
            end.run();
        }
    }
}
