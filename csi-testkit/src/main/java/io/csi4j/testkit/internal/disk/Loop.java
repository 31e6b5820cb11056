package io.csi4j.testkit.internal.disk;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A loop device on the image of a block volume.
 *
 * @param device the device, like {@code /dev/loop0}
 * @param readonly whether the device refuses writes
 */
record Loop(Path device, boolean readonly) {
    private static final long SECONDS = 30;

    static List<Loop> of(Path image) {
        List<Loop> loops = new ArrayList<>();
        if (!Files.exists(image)) {
            return loops;
        }
        String output = ProcessCommand.run(
                SECONDS, "losetup", "--associated", image.toString(), "--list", "--noheadings", "--output", "NAME,RO");
        for (String line : output.split("\n", -1)) {
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length == 2) {
                loops.add(new Loop(Path.of(columns[0]), columns[1].equals("1")));
            }
        }
        return loops;
    }

    static Loop attach(Path image, boolean readonly) {
        List<String> command = new ArrayList<>(List.of("losetup", "--find", "--show"));
        if (readonly) {
            command.add("--read-only");
        }
        command.add(image.toString());
        ProcessCommand.Result result = ProcessCommand.attempt(SECONDS, command.toArray(String[]::new));
        if (result.code() != 0) {
            throw CallRefusal.internal(
                    "cannot attach a loop device for a block volume: "
                            + result.output().strip()
                            + "; load the kernel module 'loop' and see that /dev/loop-control can be used, or use mount volumes");
        }
        return new Loop(Path.of(result.output().strip()), readonly);
    }

    void detach() {
        ProcessCommand.run(SECONDS, "losetup", "--detach", device.toString());
    }

    /** Makes the kernel read the size of the image again. */
    void resize() {
        ProcessCommand.run(SECONDS, "losetup", "--set-capacity", device.toString());
    }

    /** Writes cached data of the device to the image, so that a copy of the image is complete. */
    void flush() {
        try (FileChannel channel = FileChannel.open(device, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw CallRefusal.internal("cannot flush " + device + ": " + e);
        }
    }

    /** Returns whether a block device node at any path is this device. */
    boolean is(Path node) {
        try {
            return Files.getAttribute(node, "unix:rdev").equals(Files.getAttribute(device, "unix:rdev"));
        } catch (IOException e) {
            return false; // One of the two files does not exist any more.
        }
    }
}
