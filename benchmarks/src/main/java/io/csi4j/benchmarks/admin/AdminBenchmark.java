package io.csi4j.benchmarks.admin;

import com.google.gson.stream.JsonWriter;
import io.csi4j.admin.AdminServer;
import io.csi4j.benchmarks.engine.EngineRig;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeSummary;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares the API over HTTP with the Java API: a long list in pages, an action, requests that wait, and clients that read
 * slowly.
 */
public final class AdminBenchmark {
    private static final PluginId PLUGIN = PluginId.of("disk");
    private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"}\\s*$");
    private static final int PAGE = 1000;

    private final EngineRig rig;
    private final URI address;
    private final HttpClient http = HttpClient.newHttpClient();

    private AdminBenchmark(EngineRig rig, URI address) {
        this.rig = rig;
        this.address = address;
    }

    /**
     * Runs the benchmark.
     *
     * @param arguments {@code --volumes N}, {@code --rounds N}, {@code --waiting N} and {@code --readers N}, all optional
     * @throws Exception if a request fails
     */
    public static void main(String[] arguments) throws Exception {
        int volumes = option(arguments, "--volumes", 100_000);
        int rounds = option(arguments, "--rounds", 7);
        try (StateStore store = StateStore.inMemory();
                EngineRig rig = EngineRig.over(new LocalCommandLog(store), store)) {
            rig.lifecycle.startLeading();
            rig.cluster(PLUGIN);
            rig.volumes(PLUGIN, volumes);
            try (AdminServer server = AdminServer.builder(rig.lifecycle).start()) {
                AdminBenchmark benchmark = new AdminBenchmark(rig, server.uri());
                benchmark.list(volumes, rounds);
                benchmark.action(rounds * 300);
                new WaitingBenchmark(rig, PLUGIN).run(option(arguments, "--waiting", 10_000), volumes);
                benchmark.slowReaders(option(arguments, "--readers", 1_000));
            }
        }
        System.exit(0);
    }

    private static int option(String[] arguments, String name, int defaultValue) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Integer.parseInt(arguments[i + 1]);
            }
        }
        return defaultValue;
    }

    private void list(int volumes, int rounds) throws Exception {
        double[] java = new double[rounds];
        double[] api = new double[rounds];
        for (int round = -3; round < rounds; round++) {
            long begin = System.nanoTime();
            int direct = listInJava();
            long between = System.nanoTime();
            int remote = listOverHttp();
            long end = System.nanoTime();
            if (direct != volumes || remote != volumes) {
                throw new IllegalStateException("the lists have " + direct + " and " + remote + " volumes");
            }
            if (round >= 0) {
                java[round] = (between - begin) / 1e6;
                api[round] = (end - between) / 1e6;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%d volumes in pages of %d: Java API and encoding %.0f ms, over HTTP %.0f ms, ratio %.2f (at most 3)%n",
                volumes,
                PAGE,
                median(java),
                median(api),
                median(api) / median(java));
    }

    private int listInJava() throws IOException {
        int found = 0;
        Optional<VolumeKey> after = Optional.empty();
        do {
            ListPage<VolumeSummary, VolumeKey> page = rig.lifecycle
                    .volumes()
                    .list(VolumeQuery.builder()
                            .after(after.orElse(null))
                            .limit(PAGE)
                            .build())
                    .join();
            byte[] encoded = encoded(page.items());
            found += encoded.length > 0 ? page.items().size() : 0;
            after = page.next();
        } while (after.isPresent());
        return found;
    }

    /** Encodes the fields that the API sends, without its declarations of fields. */
    private static byte[] encoded(List<VolumeSummary> volumes) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonWriter json = new JsonWriter(text)) {
            json.beginArray();
            for (VolumeSummary volume : volumes) {
                json.beginObject();
                json.name("namespace").value(volume.key().namespace().value());
                json.name("volume").value(volume.key().volumeId().value());
                json.name("plugin").value(volume.pluginId().value());
                json.name("provider").value(volume.plugin().provider().orElse(""));
                json.name("phase").value(volume.phase().name());
                json.name("capacityBytes").value(volume.capacityBytes());
                json.name("schedulable").value(volume.schedulable());
                json.name("fsType").value(volume.fsType());
                json.name("mountFlags").value(volume.mountFlags());
                json.name("taken").value(volume.taken());
                json.name("releasing").value(volume.releasing());
                json.name("waiting").value(volume.waiting());
                json.name("health").value(volume.health().name());
                json.name("access").beginArray();
                for (var access : volume.access()) {
                    json.value(access.toString());
                }
                json.endArray();
                json.name("problems").beginArray();
                for (String problem : volume.problems()) {
                    json.value(problem);
                }
                json.endArray();
                json.endObject();
            }
            json.endArray();
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private int listOverHttp() throws Exception {
        int found = 0;
        String after = "";
        while (true) {
            byte[] page = get("/v1/volumes?limit=" + PAGE + after);
            found += items(page);
            Matcher next = NEXT.matcher(new String(
                    page, Math.max(0, page.length - 200), Math.min(200, page.length), StandardCharsets.UTF_8));
            if (!next.find()) {
                return found;
            }
            after = "&after=" + next.group(1);
        }
    }

    /** Counts the items of a page, each of which begins a line. */
    private static int items(byte[] page) {
        int found = 0;
        for (int i = 1; i < page.length; i++) {
            found += page[i - 1] == '\n' && (page[i] == '{' || page[i] == ',') ? 1 : 0;
        }
        return found;
    }

    private byte[] get(String path) throws Exception {
        HttpResponse<byte[]> answer = http.send(
                HttpRequest.newBuilder(address.resolve(path)).build(), HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(path + " answered " + answer.statusCode());
        }
        return answer.body();
    }

    private void action(int rounds) throws Exception {
        VolumeKey key = EngineRig.key(PLUGIN, 0);
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/v1/volumes/"
                        + key.namespace().value() + "/" + key.volumeId().value() + "/recheck"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        double[] java = new double[rounds];
        double[] api = new double[rounds];
        for (int round = -rounds; round < rounds; round++) {
            long begin = System.nanoTime();
            rig.lifecycle.operator().recheck(key).join();
            long between = System.nanoTime();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            long end = System.nanoTime();
            if (answer.statusCode() != 200) {
                throw new IllegalStateException("recheck answered " + answer.statusCode() + ": " + answer.body());
            }
            if (round >= 0) {
                java[round] = (between - begin) / 1e6;
                api[round] = (end - between) / 1e6;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "an action: Java API %.3f ms, over HTTP %.3f ms, %.3f ms more (at most 1)%n",
                median(java),
                median(api),
                median(api) - median(java));
    }

    private static void send(SocketChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void slowReaders(int clients) throws Exception {
        long before = Memory.used();
        double quick = page();
        List<SocketChannel> open = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
                channel.connect(new InetSocketAddress(address.getHost(), address.getPort()));
                open.add(channel);
                send(channel, "GET /v1/volumes?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
            long most = 0;
            double slow = 0;
            for (int i = 0; i < 5; i++) {
                slow = Math.max(slow, page());
                most = Math.max(most, Memory.used() - before);
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d clients that do not read a page of 1000 volumes: %d KiB each, %.1f MiB in all; another client"
                            + " gets its page in %.1f ms at most, without them in %.1f ms%n",
                    clients,
                    most / clients / 1024,
                    most / 1048576.0,
                    slow,
                    quick);
        } finally {
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
    }

    private double page() throws Exception {
        long begin = System.nanoTime();
        byte[] unused = get("/v1/volumes?limit=1000");
        return (System.nanoTime() - begin) / 1e6;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
