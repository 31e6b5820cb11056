package com.example.starter;

import io.csi4j.core.id.VolumeKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** The way to talk to the programs of this starter; a scheduler has its own. */
final class Lines {
    private Lines() {}

    /** Answers each line of the input with a line, until the input ends. */
    static void answer(Function<List<String>, String> request) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println(request.apply(List.of(line.split(" "))));
            } catch (CompletionException failed) {
                // csi4j says in one sentence what failed, and what to do.
                System.out.println("failed: " + failed.getCause().getMessage());
            } catch (IllegalArgumentException | IndexOutOfBoundsException unclear) {
                System.out.println("not understood: " + unclear.getMessage());
            }
        }
    }

    /** Reads {@code namespace/name}. */
    static VolumeKey volume(String text) {
        String[] parts = text.split("/");
        return VolumeKey.of(parts[0], parts[1]);
    }
}
