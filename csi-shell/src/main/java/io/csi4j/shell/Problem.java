package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Optional;

/** A failure as a server reports it: a problem document (RFC 9457). */
record Problem(JsonObject document) {
    /** The kind of a failure, without the common beginning. */
    String kind() {
        return text("type").replaceFirst("^urn:csi4j:problem:", "");
    }

    /** Returns whether another server, or this one later, may do what was asked. */
    boolean isOfServer() {
        return kind().equals("not-leading") || kind().equals("unavailable");
    }

    Optional<String> leader() {
        return Optional.of(text("leader")).filter(name -> !name.isEmpty());
    }

    /** Returns the cause and the remedy for people, in one or more lines. */
    String message() {
        String detail = text("detail");
        StringBuilder message =
                new StringBuilder(Text.safe(detail.isEmpty() ? "the server gave no reason (" + kind() + ")" : detail));
        if (document.get("problems") instanceof JsonArray problems) {
            for (JsonElement element : problems) {
                if (element instanceof JsonObject problem && !detail.contains(text(problem, "problem"))) {
                    message.append("\n  ")
                            .append(Text.safe(text(problem, "field") + " " + text(problem, "problem") + "; "
                                    + text(problem, "remedy")));
                }
            }
        }
        leader().ifPresent(
                        name -> message.append("\nThe name of the leader is ").append(Text.safe(name)));
        return message.toString();
    }

    int exitCode() {
        return kind().equals("bad-request") ? Csi.USAGE : isOfServer() ? Csi.UNREACHABLE : Csi.FAILED;
    }

    private String text(String name) {
        return text(document, name);
    }

    private static String text(JsonObject object, String name) {
        JsonElement value = object.get(name);
        return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
    }
}
