package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    @TempDir
    Path directory;

    private final GlobalOptions options = new GlobalOptions();
    private final Map<String, String> environment = new HashMap<>();
    private final List<String> warnings = new ArrayList<>();

    private Settings read() {
        environment.putIfAbsent("HOME", directory.toString());
        return Settings.read(options, environment, warnings::add);
    }

    private Path file(String name, String text, String mode) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:80/, http://127.0.0.1:80",
        "localhost:8080, http://localhost:8080",
        "store.example:8080, https://store.example:8080",
        "https://[2001:db8::1]:8443, https://[2001:db8::1]:8443",
        "https://store.example, https://store.example:443",
        "unix:/run/csi.sock, unix:/run/csi.sock",
        "unix:///run/csi.sock, unix:/run/csi.sock",
        "/run/csi.sock, unix:/run/csi.sock"
    })
    void addressHasItsForms(String text, String address) {
        assertThat(Address.parse(text)).hasToString(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix:", "ftp://a:1", "http://u:p@a:1", "http://a:1/v1", "http://a:1?x", "a b", "http://"})
    void otherTextIsNoAddress(String text) {
        assertThatThrownBy(() -> Address.parse(text))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("is not an address");
    }

    @Test
    void optionComesBeforeVariableBeforeFile() throws Exception {
        file(".config/csi/config", "# mine\naddress = localhost:1, localhost:2\ntoken = of-file\n", "rw-------");
        assertThat(read().addresses()).hasToString("[http://localhost:1, http://localhost:2]");
        assertThat(read().token()).contains("of-file");
        environment.putAll(Map.of("CSI_ADDRESS", "localhost:3", "CSI_TOKEN", "of-variable"));
        assertThat(read().addresses()).hasToString("[http://localhost:3]");
        assertThat(read().token()).contains("of-variable");
        options.addresses = List.of("localhost:4");
        options.tokenFile = file("token", "of-option\n", "rw-------");
        assertThat(read().addresses()).hasToString("[http://localhost:4]");
        assertThat(read().token()).contains("of-option");
        assertThat(read().toString()).doesNotContain("of-option");
        assertThat(warnings).isEmpty();
    }

    @Test
    void readableTokenIsWarnedOf() throws Exception {
        Path config = file(".config/csi/config", "address = localhost:1\ntoken = abc\n", "rw-r--r--");
        assertThat(read().token()).contains("abc");
        assertThat(warnings).containsExactly(config + " has a token, and others can read it; run: chmod 600 " + config);
        warnings.clear();
        options.tokenFile = file("token", "of-option", "rw-r-----");
        read();
        assertThat(warnings).hasSize(2);
    }

    @Test
    void tokenIsNeitherAnArgumentNorSentInTheOpen() {
        options.addresses = List.of("http://store.example:80");
        environment.put("CSI_TOKEN", "abc");
        assertThatThrownBy(this::read).hasMessageContaining("use https").hasMessageNotContaining("abc");
        options.token = "abc";
        assertThatThrownBy(this::read)
                .hasMessageContaining("use --token-file FILE")
                .hasMessageNotContaining("abc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"two words", "line\r\nHost: other", "ü"})
    void tokenThatIsNoneIsRefused(String token) {
        options.addresses = List.of("localhost:1");
        environment.put("CSI_TOKEN", token);
        assertThatThrownBy(this::read).isInstanceOf(UsageException.class).hasMessageNotContaining(token);
    }

    @Test
    void wrongLineIsNamedButNotShown() throws Exception {
        Path config = file("mine", "address = localhost:1\nabcdef\n", "rw-------");
        environment.put("CSI_CONFIG", config.toString());
        assertThatThrownBy(this::read).hasMessageContaining("line 2").hasMessageNotContaining("abcdef");
        environment.put("CSI_CONFIG", directory.resolve("none").toString());
        assertThatThrownBy(this::read).hasMessageContaining("cannot be read");
    }

    @Test
    void missingAddressNamesTheWaysToGiveIt() {
        assertThatThrownBy(this::read)
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("--address", "CSI_ADDRESS", ".config/csi/config");
    }
}
