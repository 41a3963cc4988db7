// The counter on Go's net/http: counter PORT
package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
)

var (
	lock    sync.Mutex
	count   int
	changed = make(chan struct{}) // closed by the next change
)

func state(count int) string {
	if count == 0 {
		return `{"text":"0","enabled":false,"alpha":0.5}`
	}
	return fmt.Sprintf(`{"text":"%d","enabled":true,"alpha":1}`, count)
}

func delta(count int) string {
	return fmt.Sprintf(`{"kind":"delta","cursor":"%d","changes":[`+
		`{"seq":%d,"viewModel":"counter","output":"text","value":"%d"}]}`, count, count, count)
}

func now() (int, chan struct{}) {
	lock.Lock()
	defer lock.Unlock()
	return count, changed
}

func answer(writer http.ResponseWriter, body string) {
	header := writer.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	writer.Write([]byte(body))
}

func increment(writer http.ResponseWriter, _ *http.Request) {
	lock.Lock()
	count++
	body := state(count)
	close(changed)
	changed = make(chan struct{})
	lock.Unlock()
	answer(writer, body)
}

func changes(writer http.ResponseWriter, request *http.Request) {
	seen, next := now()
	if since := request.URL.Query().Get("since"); since != "" {
		if since == strconv.Itoa(seen) {
			select {
			case <-next:
			case <-request.Context().Done():
				return
			}
		}
		seen, _ = now()
		answer(writer, delta(seen))
		return
	}
	writer.Header().Set("Content-Type", "text/event-stream")
	flusher := writer.(http.Flusher)
	for flusher.Flush(); ; flusher.Flush() {
		select {
		case <-next:
		case <-request.Context().Done():
			return
		}
		seen, next = now()
		fmt.Fprintf(writer, "event: delta\nid: %d\ndata: %s\n\n", seen, delta(seen))
	}
}

func main() {
	http.HandleFunc("/counter", func(writer http.ResponseWriter, _ *http.Request) {
		seen, _ := now()
		answer(writer, state(seen))
	})
	http.HandleFunc("/counter/increment", increment)
	http.HandleFunc("/changes", changes)
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
