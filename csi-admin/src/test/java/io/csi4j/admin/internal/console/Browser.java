package io.csi4j.admin.internal.console;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A headless Chromium, driven over the WebDriver protocol. */
final class Browser implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("started successfully on port (\\d+)");
    private static final Gson GSON = new Gson();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process driver;
    private final URI session;

    private Browser(Process driver, URI session) {
        this.driver = driver;
        this.session = session;
    }

    /** Returns a program of the path. */
    static Optional<Path> program(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Browser start(Path chromium, Path chromedriver, Path profile) throws Exception {
        Process driver = new ProcessBuilder(chromedriver.toString(), "--port=0")
                .redirectErrorStream(true)
                .start();
        try {
            int port = port(driver);
            JsonObject options = new JsonObject();
            options.addProperty("binary", chromium.toString());
            options.add(
                    "args",
                    GSON.toJsonTree(List.of(
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync",
                            "--hide-scrollbars",
                            "--window-size=1280,900",
                            "--user-data-dir=" + profile)));
            JsonElement wanted = GSON.toJsonTree(Map.of(
                    "capabilities",
                    Map.of(
                            "alwaysMatch",
                            Map.of(
                                    "browserName",
                                    "chrome",
                                    "goog:chromeOptions",
                                    options,
                                    "goog:loggingPrefs",
                                    Map.of("browser", "ALL")))));
            URI sessions = URI.create("http://127.0.0.1:" + port + "/session");
            HttpClient http = HttpClient.newHttpClient();
            JsonObject answer = send(
                            http,
                            HttpRequest.newBuilder(sessions)
                                    .POST(HttpRequest.BodyPublishers.ofString(GSON.toJson(wanted))))
                    .getAsJsonObject();
            return new Browser(
                    driver, URI.create(sessions + "/" + answer.get("sessionId").getAsString() + "/"));
        } catch (Exception | Error e) {
            driver.destroyForcibly();
            throw e;
        }
    }

    private static int port(Process driver) throws IOException {
        BufferedReader output = driver.inputReader();
        StringBuilder lines = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher port = PORT.matcher(line);
            if (port.find()) {
                return Integer.parseInt(port.group(1));
            }
            lines.append(line).append('\n');
        }
        throw new IOException("chromedriver ended without a port: " + lines);
    }

    private static JsonElement send(HttpClient http, HttpRequest.Builder request) throws Exception {
        HttpResponse<String> answer =
                http.send(request.timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException("the browser answered " + answer.statusCode() + ": " + answer.body());
        }
        return JsonParser.parseString(answer.body()).getAsJsonObject().get("value");
    }

    private JsonElement post(String command, Object body) throws Exception {
        return send(
                http,
                HttpRequest.newBuilder(session.resolve(command))
                        .POST(HttpRequest.BodyPublishers.ofString(GSON.toJson(body))));
    }

    void open(URI page) throws Exception {
        post("url", Map.of("url", page.toString()));
    }

    /** Runs a script that returns a value. */
    JsonElement run(String script, Object... arguments) throws Exception {
        return post("execute/sync", Map.of("script", script, "args", List.of(arguments)));
    }

    /** Waits until a script returns true. */
    void await(String script, Object... arguments) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        JsonElement value = run(script, arguments);
        while (!value.isJsonPrimitive() || !value.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the condition is not met in time: " + script + "; the page is "
                        + run("return document.body.innerText").getAsString());
            }
            value = run(script, arguments);
        }
    }

    /** Presses a key, by its code in WebDriver. */
    void key(String key) throws Exception {
        post(
                "actions",
                Map.of(
                        "actions",
                        List.of(Map.of(
                                "type",
                                "key",
                                "id",
                                "keyboard",
                                "actions",
                                List.of(
                                        Map.of("type", "keyDown", "value", key),
                                        Map.of("type", "keyUp", "value", key))))));
    }

    void chrome(String command, Map<String, ?> parameters) throws Exception {
        post("goog/cdp/execute", Map.of("cmd", command, "params", parameters));
    }

    void colors(String scheme) throws Exception {
        chrome(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void size(int width, int height, boolean phone) throws Exception {
        chrome(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", phone));
    }

    /** Returns the messages of the page's console, which has errors and violations of the policy. */
    String log() throws Exception {
        return post("se/log", Map.of("type", "browser")).toString();
    }

    byte[] screenshot() throws Exception {
        return Base64.getDecoder()
                .decode(send(
                                http,
                                HttpRequest.newBuilder(session.resolve("screenshot"))
                                        .GET())
                        .getAsString());
    }

    @Override
    public void close() {
        String address = session.toString();
        HttpRequest end = HttpRequest.newBuilder(URI.create(address.substring(0, address.length() - 1)))
                .DELETE()
                .build();
        try {
            http.sendAsync(end, HttpResponse.BodyHandlers.discarding())
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
        } finally {
            driver.destroyForcibly();
            driver.onExit().orTimeout(20, TimeUnit.SECONDS).join();
        }
    }
}
