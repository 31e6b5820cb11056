package io.csi4j.testkit.history;

import io.csi4j.core.call.RpcService;
import io.csi4j.core.call.StatusCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints a history as a Mermaid sequence diagram, with the beginnings and ends of calls in their order. */
final class MermaidSequence {
    private record Event(long order, String line) {}

    private final Map<String, String> participants = new LinkedHashMap<>();
    private final List<Event> events = new ArrayList<>();

    private MermaidSequence() {}

    static String of(CallHistory history) {
        MermaidSequence sequence = new MermaidSequence();
        history.calls().forEach(sequence::add);
        StringBuilder text = new StringBuilder("sequenceDiagram\n    participant caller\n");
        sequence.participants.forEach((name, alias) -> text.append("    participant ")
                .append(alias)
                .append(" as ")
                .append(escaped(name))
                .append('\n'));
        sequence.events.stream()
                .sorted(Comparator.comparingLong(Event::order))
                .forEach(event -> text.append("    ").append(event.line()).append('\n'));
        return text.toString();
    }

    private void add(CallRecord call) {
        String plugin = participants.computeIfAbsent(name(call), any -> "p" + (participants.size() + 1));
        String request = call.number() + " " + call.rpc().csiName()
                + call.volume().map(id -> " " + id).orElse("")
                + call.node()
                        .filter(id -> call.rpc().service() != RpcService.NODE)
                        .map(id -> " to " + id)
                        .orElse("");
        events.add(new Event(call.time().startOrder(), "caller->>" + plugin + ": " + escaped(request)));
        call.fault()
                .ifPresent(rule ->
                        events.add(new Event(call.time().startOrder(), "Note over " + plugin + ": " + escaped(rule))));
        if (call.inFlight()) {
            return;
        }
        boolean answered = call.result().isPresent() && !lost(call);
        String arrow = answered ? "-->>" : "--x";
        String outcome = call.number() + " "
                + (answered ? call.outcome() : call.succeeded() ? "no answer, but it took effect" : call.outcome());
        events.add(new Event(call.time().endOrder(), plugin + arrow + "caller: " + escaped(outcome)));
    }

    /** Returns whether a fault kept the answer of a handled call from the caller. */
    private static boolean lost(CallRecord call) {
        return call.result().filter(result -> result.code() == StatusCode.OK).isPresent()
                && call.fault()
                        .filter(rule -> rule.endsWith("lose-reply") || rule.endsWith(" after"))
                        .isPresent();
    }

    private static String name(CallRecord call) {
        return switch (call.rpc().service()) {
            case NODE -> call.node().map(id -> "node plugin of " + id).orElse("node plugin");
            case IDENTITY -> "plugin";
            default -> "controller plugin";
        };
    }

    /** Replaces semicolons and hashes, because Mermaid ends a message at a semicolon and reads a hash as an escape. */
    private static String escaped(String text) {
        return text.replace("#", "#35;").replace("\n", " ").replaceAll("(?<!#35);", "#59;");
    }
}
