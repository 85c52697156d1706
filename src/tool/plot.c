/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hwloc-gpucache plot: draws the files of measure --raw with gnuplot. It reads a script on its
 * standard input and writes the picture to its standard output, so that scripts contain no file
 * names.
 */
#include "tool/plot.h"

#include "tool/plot_read.h"
#include "tool/plot_script.h"
#include "tool/say.h"
#include "util/file.h"
#include "util/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IN_PARALLEL 8
#define SECONDS 60 /* time limit for these pictures */

/* The last line of a picture: the next run may replace only files with this line. */
static const char mark[] = "<!-- drawn by hwloc-gpucache plot -->\n";

/* A picture that is being drawn. */
struct picture {
  const char *name;     /* of the data file */
  int script, drawing;  /* memory files; 0: none */
  char message[256];    /* the last line of gnuplot on stderr */
};

struct drawing {
  const char *path;     /* of the directory, as on the command line */
  int dir;
  char gnuplot[4096], templates[4096];
  struct picture pictures[IN_PARALLEL];
  struct gc_command commands[IN_PARALLEL];
  size_t count, drawn;
  int status;
};

static void warn(struct drawing *d, const char *name, const char *why)
{
  gc_say(NULL, "%s/%s: %s", d->path, name, why);
  d->status = GC_EXIT_FAILED;
}

/* Finds a program in $PATH. */
static int find_program(const char *name, char *path, size_t size)
{
  const char *dirs = getenv("PATH");

  for (size_t length; dirs && *dirs; dirs += length + (dirs[length] == ':')) {
    length = strcspn(dirs, ":");
    if (length && (size_t)snprintf(path, size, "%.*s/%s", (int)length, dirs, name) < size &&
        !access(path, X_OK))
      return 0;
  }
  return -ENOENT;
}

/* The directory of the templates: a variable has priority over the installed ones, as for
 * simulated GPUs. */
static int find_templates(char *path, size_t size, struct gc_error *err)
{
  const char *set = secure_getenv("HWLOC_GPUCACHE_PLOT_PATH");

  snprintf(path, size, "%s", set && *set ? set : GC_PKGDATADIR "/plot");
  return access(path, R_OK)
             ? gc_fail(err, -errno, "cannot read the templates of pictures in %s: %s", path,
                       strerror(errno))
             : 0;
}

static int append_template(const struct drawing *d, const char *name, FILE *script,
                           struct gc_error *err)
{
  char path[4200], buffer[4096];
  FILE *file;
  size_t n;

  snprintf(path, sizeof path, "%s/%s", d->templates, name);
  file = fopen(path, "re");
  if (!file)
    return gc_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
  while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
    fwrite(buffer, 1, n, script);
  fclose(file);
  return 0;
}

/* A memory file on a descriptor of 3 or more; 0: none. */
static int memory_file(const char *name)
{
  const int low = memfd_create(name, MFD_CLOEXEC);
  int fd;

  if (low < 0 || low >= 3)
    return low < 0 ? 0 : low;
  fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
  close(low);
  return fd < 0 ? 0 : fd;
}

static int write_script(const struct drawing *d, const struct gc_plot *plot, int fd,
                        struct gc_error *err)
{
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  FILE *script = copy < 0 ? NULL : fdopen(copy, "w");
  const char *name;
  int status;

  if (!script) {
    if (copy >= 0)
      close(copy);
    return gc_fail(err, -ENOMEM, "out of memory");
  }
  name = gc_plot_script(plot, script, err);
  status = name ? append_template(d, "style.gp", script, err) : -EBADMSG;
  if (!status)
    status = append_template(d, name, script, err);
  if (!gc_file_close(script) && !status)
    status = gc_fail(err, -ENOMEM, "out of memory");
  lseek(fd, 0, SEEK_SET); /* gnuplot reads from the position of the descriptor */
  return status;
}

static void name_picture(const struct picture *picture, char name[300])
{
  snprintf(name, 300, "%.*s.svg", (int)(strlen(picture->name) - strlen(GC_PLOT_SUFFIX)), picture->name);
}

/* Refuses to replace a file that is no picture of this command. */
static int check_place(const struct drawing *d, const struct picture *picture, struct gc_error *err)
{
  char name[300], end[sizeof mark - 1] = "";
  struct stat st;
  int fd;

  name_picture(picture, name);
  if (fstatat(d->dir, name, &st, AT_SYMLINK_NOFOLLOW))
    return 0;
  fd = S_ISREG(st.st_mode) ? openat(d->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (fd >= 0 && st.st_size >= (off_t)sizeof end)
    (void)!pread(fd, end, sizeof end, st.st_size - (off_t)sizeof end);
  if (fd >= 0)
    close(fd);
  return memcmp(end, mark, sizeof end)
             ? gc_fail(err, -EEXIST, "%s exists and was not drawn by this command: move it away",
                       name)
             : 0;
}

/* Prepares everything that gnuplot needs for one picture. -ENOMSG: the file is not to be drawn. */
static int prepare(const struct drawing *d, struct picture *picture, struct gc_error *err)
{
  struct gc_plot plot;
  int status = gc_plot_read(d->dir, picture->name, &plot, err);

  if (status)
    return status;
  if ((status = check_place(d, picture, err))) {
    gc_plot_free(&plot);
    return status;
  }
  picture->script = memory_file("script");
  picture->drawing = memory_file("drawing");
  status = picture->script && picture->drawing ? write_script(d, &plot, picture->script, err)
                                               : gc_fail(err, -errno, "%s", strerror(errno));
  gc_plot_free(&plot);
  return status;
}

static void release(struct picture *picture)
{
  if (picture->script)
    close(picture->script);
  if (picture->drawing)
    close(picture->drawing);
  memset(picture, 0, sizeof *picture);
}

static void keep_message(const struct gc_command *command, const char *line, void *data)
{
  struct drawing *d = data;
  struct picture *picture = &d->pictures[command - d->commands];

  line += strspn(line, " \t");
  if (*line)
    snprintf(picture->message, sizeof picture->message, "%s", line);
}

/* Puts the finished picture into the directory of its data. */
static int keep(const struct drawing *d, const struct picture *picture, struct gc_error *err)
{
  const ssize_t length = (ssize_t)sizeof mark - 1;
  char name[300];
  struct stat st;
  void *svg;
  int status;

  name_picture(picture, name);
  if (fstat(picture->drawing, &st) || st.st_size <= 0)
    return gc_fail(err, -EIO, "gnuplot drew nothing");
  if (pwrite(picture->drawing, mark, (size_t)length, st.st_size) != length ||
      fstat(picture->drawing, &st))
    return gc_fail(err, -EIO, "%s", strerror(errno));
  svg = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, picture->drawing, 0);
  if (svg == MAP_FAILED)
    return gc_fail(err, -errno, "%s", strerror(errno));
  status = gc_file_put(d->dir, name, svg, (size_t)st.st_size, err);
  munmap(svg, (size_t)st.st_size);
  if (!status) {
    gc_make_printable(name); /* it is that of a file, which may be another user's */
    printf("%s/%s\n", d->path, name);
  }
  return status;
}

static int conclude(const struct drawing *d, const struct gc_command *command,
                    const struct picture *picture, struct gc_error *err)
{
  char why[100];

  if (command->end == GC_END_EXITED && command->status == 0)
    return keep(d, picture, err);
  if (command->end == GC_END_NOT_STARTED) {
    gc_spawn_why(command, why, sizeof why);
    return gc_fail(err, -EIO, "cannot start %s: %s", d->gnuplot, why);
  }
  return gc_fail(err, -EIO, "gnuplot could not draw it%s%s", picture->message[0] ? ": " : "",
                 picture->message);
}

/* Draws the prepared pictures. */
static void draw(struct drawing *d)
{
  const char *const argv[] = {d->gnuplot, "--default-settings", NULL};
  const struct gc_spawn_options options = {.seconds = SECONDS, .on_line = keep_message, .data = d};

  for (size_t i = 0; i < d->count; i++)
    d->commands[i] = (struct gc_command){
      .argv = argv, .input = d->pictures[i].script, .output = d->pictures[i].drawing};
  gc_spawn(d->commands, d->count, &options);
  for (size_t i = 0; i < d->count; i++) {
    struct gc_error err = {""};

    if (conclude(d, &d->commands[i], &d->pictures[i], &err))
      warn(d, d->pictures[i].name, err.text);
    release(&d->pictures[i]);
  }
  d->drawn += d->count;
  d->count = 0;
}

static void draw_all(struct drawing *d, struct dirent **names, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct picture *picture = &d->pictures[d->count];
    struct gc_error err = {""};
    int status;

    picture->name = names[i]->d_name;
    status = prepare(d, picture, &err);
    if (!status) {
      d->count++;
    } else {
      if (status != -ENOMSG)
        warn(d, picture->name, err.text);
      release(picture);
    }
    if (d->count == IN_PARALLEL || i + 1 == count)
      draw(d);
  }
  if (!d->drawn && d->status == GC_EXIT_DONE) {
    gc_say(NULL, "%s has no file of measure --raw that can be drawn", d->path);
    d->status = GC_EXIT_FAILED;
  }
}

int gc_tool_plot(const struct gc_tool *tool)
{
  struct drawing d = {.path = tool->words[0]};
  struct gc_error err = {""};
  struct dirent **names = NULL;
  int count;

  d.dir = gc_file_dir(d.path, NULL, &err);
  if (d.dir < 0) {
    gc_say(NULL, "%s", err.text);
    return GC_EXIT_FAILED;
  }
  count = scandirat(d.dir, ".", &names, gc_plot_is_data, alphasort);
  if (count <= 0) {
    gc_say(NULL, "%s has no " GC_PLOT_SUFFIX " file; measure --raw DIR writes them", d.path);
    d.status = GC_EXIT_FAILED;
  } else if (find_program("gnuplot", d.gnuplot, sizeof d.gnuplot)) {
    gc_say(
        NULL,
        "gnuplot is needed to draw pictures, but it is not installed (Debian package gnuplot-nox)");
    d.status = GC_EXIT_FAILED;
  } else if (find_templates(d.templates, sizeof d.templates, &err)) {
    gc_say(NULL, "%s", err.text);
    d.status = GC_EXIT_FAILED;
  } else {
    draw_all(&d, names, (size_t)count);
  }
  for (int i = 0; i < count; i++)
    free(names[i]);
  free(names);
  close(d.dir);
  return d.status;
}
